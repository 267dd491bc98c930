/** Runs everything that a benchmark has planned. A run that fails does not spoil the others. */
import { openProgress } from './progress.mjs'

/**
 * `label(run)` identifies the run in a few fields, `work(run, name)` measures it under its own name.
 * Returns a sample for each run: its label and what was measured, or `failure` in words.
 */
export async function measureAll(workshop, runs, { label, work }) {
  const progress = openProgress(runs.length)
  const samples = []
  try {
    for (const [at, run] of runs.entries()) {
      const which = label(run)
      progress.begin(inWords(which))
      samples.push({ ...which, ...(await attempt(workshop, () => work(run, `run-${at}`))) })
    }
  } finally {
    progress.close()
  }
  return samples
}

/** `round 3, kill, ioredis, A`: rounds are counted from one. */
export function inWords({ round, ...rest }) {
  return [`round ${round + 1}`, ...Object.values(rest)].join(', ')
}

async function attempt(workshop, work) {
  try {
    return await work()
  } catch (error) {
    // We were told to end, and our processes are gone.
    if (workshop.isClosed) throw error
    console.error(error.message)
    await workshop.endAll()
    return { failure: error.message }
  }
}

/** The kinds of runs, by `kindOf(sample)`, of which not one could be measured. */
export function withoutResult(samples, kindOf) {
  const kinds = new Set(samples.map(kindOf))
  for (const sample of samples) if (sample.failure === undefined) kinds.delete(kindOf(sample))
  return [...kinds].map((kind) => `nothing was measured of ${kind}`)
}
