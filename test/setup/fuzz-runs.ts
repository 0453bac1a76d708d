import fc from 'fast-check'

// `npm run soak` asks for many more runs of every property than a working day has time for, and says with which seed.
const runs = Number(process.env.MNEME_FUZZ_RUNS ?? 0)
const seed = Number(process.env.MNEME_FUZZ_SEED ?? 0)
if (runs > 0) fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs })
if (seed > 0) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
