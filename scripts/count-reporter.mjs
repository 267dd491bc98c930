import { writeSync } from 'node:fs'

/** Where verify.mjs listens. */
const COUNTS_FD = 3

/** Counts tests by their outcome. A file that cannot be loaded and a stray error count as failures. */
export default class CountReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      counts.failed += module.errors().length
      for (const test of module.children.allTests()) counts[test.result().state]++
    }
    writeSync(COUNTS_FD, JSON.stringify(counts))
  }
}
