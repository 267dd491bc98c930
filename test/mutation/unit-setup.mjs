/** Counts what each test file executed, and its processor time, if VEDETTE_PLACES asks for it. */
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'
import { takeCoverage } from './coverage.mjs'

const path = process.env.VEDETTE_PLACES
if (path) {
  const places = JSON.parse(readFileSync(path, 'utf8'))
  takeCoverage(places)
  const before = process.cpuUsage()
  afterAll(() => {
    const { user, system } = process.cpuUsage(before)
    const name = expect.getState().testPath
    const line = {
      name,
      cpuMs: Math.round((user + system) / 1_000),
      executed: takeCoverage(places),
    }
    appendFileSync(`${path}.executed`, `${JSON.stringify(line)}\n`)
  })
}
