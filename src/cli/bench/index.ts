export { type BenchIo, runBench } from './run-bench.ts'
