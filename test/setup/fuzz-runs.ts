import fc from 'fast-check'

// `npm run soak` asks for many more runs of every property than a working day has time for.
const runs = Number(process.env.MNEME_FUZZ_RUNS ?? 0)
if (runs > 0) fc.configureGlobal({ numRuns: runs })
