import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import { NO_HOLDINGS } from '../../../src/history/data/holdings.ts'
import { applyRequest, drawRequest, FAMILIES } from '../../../src/history/data/requests.ts'

const PAGE = new URL('../../../docs/simulator.md', import.meta.url)

/** The lines of the table, as the tables of commands have them. */
function lines(): readonly string[] {
  return Object.entries(FAMILIES).map(([family, rows]) => {
    const drawn = Object.entries(rows).filter(([, { weight }]) => weight > 0)
    return `| ${family} | ${drawn.map(([name, { weight }]) => `${name} ${weight}`).join(', ')} |`
  })
}

test('the page about the simulator lists every command that is drawn, with its weight', () => {
  const page = readFileSync(PAGE, 'utf8').split('\n')
  expect(lines().filter((line) => !page.includes(line))).toEqual([])
})

test('every command that is drawn can be applied, and each is drawn', () => {
  const rng = createRng('every command')
  const names = new Set<string>()
  const at = { fromMs: 0, untilMs: 1, areClocksRight: true, mayKeepDead: false, mayBeFull: false }
  for (let unique = 1; unique < 3_000; unique++) {
    const request = drawRequest({ rng, unique, home: 1, second: 2, isAlone: true })
    for (const argv of request.commands) names.add(argv[0] ?? '')
    expect(applyRequest(NO_HOLDINGS, request, at, undefined).length).toBeGreaterThan(0)
  }
  const drawn = Object.values(FAMILIES).flatMap((rows) => Object.keys(rows))
  expect(drawn.filter((name) => !names.has(name.split(' ')[0] ?? ''))).toEqual([])
})
