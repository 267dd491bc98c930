/** What is printed of a failed test. */
import process from 'node:process'
import type { Cluster } from './api.ts'

/** Under the name of the test: files run in parallel, and their output comes mixed. */
export function printTimeline(cluster: Cluster, test: string): void {
  const lines = cluster.timeline()
  const shown = lines === '' ? '  nothing was done to the cluster, and nothing happened' : lines
  process.stderr.write(`timeline of the cluster of "${test}":\n${shown}\n`)
}
