import { describe, expect, test } from 'vitest'
import { shorten } from '../../../src/report/lanes/lane-rows.ts'
import { createLanes } from '../../../src/report/lanes/lanes.ts'
import { renderLanes } from '../../../src/report/lanes/lanes-text.ts'
import type { Painter } from '../../../src/scenario/report.ts'
import { altered, parse, SOUND } from '../../scenario/support.ts'
import { at, event, historyOf, play } from '../support.ts'

async function draw(width: number, text?: string): Promise<string[] | undefined> {
  const { file, history } = await play(text)
  return renderLanes(createLanes(file, history), { width })
}

describe('swim lanes in a terminal', () => {
  test.each([80, 100, 120, 200])('no line is longer than %i columns', async (width) => {
    for (const line of (await draw(width)) ?? []) expect(line.length).toBeLessThanOrEqual(width)
  })

  test('hosts and names stand above the columns', async () => {
    const lines = (await draw(120)) ?? []
    expect(lines[2]).toMatch(/on a +on b +on c +on d$/)
    expect(lines[3]).toMatch(/seconds +n1 +s1 +n2 +s2 +n3 +s3 +app$/)
  })

  test('a fault is a rule across all lanes', async () => {
    const rule = (await draw(120))?.find((line) => line.includes('kill n1'))
    expect(rule).toMatch(/^ {4}5\.000 {3}━━ kill n1 ━{60,}$/)
  })

  test('a new master has its bar from the moment it says so', async () => {
    const lines = (await draw(120)) ?? []
    const promoted = lines.findIndex((line) => /^ +[1-9]\d*\.\d{3} .*█ master/.test(line))
    expect(promoted).toBeGreaterThan(0)
    expect(lines.slice(promoted, promoted + 8).every((line) => line.includes('█'))).toBe(true)
  })

  test('votes, suspicion and switches stand in the column of who said them', async () => {
    const lines = (await draw(120)) ?? []
    const column = (lines[3] ?? '').indexOf('s2')
    const said = lines.map((line) => line.slice(column, column + 16))
    expect(said.some((text) => text.includes('+sdown n1'))).toBe(true)
    expect(said.some((text) => text.includes('votes for'))).toBe(true)
    expect(said.some((text) => /\+switch|→ n/.test(text))).toBe(true)
  })

  test('a long quiet time is one line', async () => {
    const quiet = (await draw(120))?.filter((line) => line.includes('⋮')) ?? []
    expect(quiet[0]).toMatch(/⋮ 4(\.\d)? s/)
    expect(quiet.length).toBeLessThan(6)
  })

  test('clients are left out before anything else, and it is said', async () => {
    const lines = (await draw(80)) ?? []
    expect(lines[3]).toMatch(/s3$/)
    expect(lines.at(-1)).toContain('no room for app')
  })

  test('a terminal that is too narrow gets no lanes', async () => {
    expect(await draw(50)).toBeUndefined()
  })

  test('a violation is a rule of its own', () => {
    const checker = 'one leader'
    const history = historyOf([
      at(3_000, 's1', { kind: 'violation', checker, text: 's1 and s2 lead epoch 1' }),
    ])
    const lines = renderLanes(createLanes(parse(SOUND), history), { width: 120 }) ?? []
    expect(lines.find((line) => line.includes('✗'))).toContain('s1: one leader: s1 and s2 lead')
  })

  test('what never ends is cut off with a word about the rest', () => {
    const happenings = Array.from({ length: 2_000 }, (_none, n) =>
      event(n * 7, 's1', `+sdown slave n2 n2 6379 @ group${n} n1 6379`),
    )
    const model = createLanes(parse(SOUND), historyOf(happenings))
    const lines = renderLanes(model, { width: 120 }) ?? []
    expect(lines.length).toBeLessThan(700)
    expect(lines.some((line) => line.includes('more lines'))).toBe(true)
  })

  test('colours change no widths', async () => {
    const { file, history } = await play(altered('rate: 20', 'rate: 30'))
    const model = createLanes(file, history)
    const dress = (text: string): string => `\u001b[1m${text}\u001b[0m`
    const painter: Painter = { good: dress, bad: dress, bold: dress, dim: dress }
    const coloured = renderLanes(model, { width: 120, painter }) ?? []
    const plain = renderLanes(model, { width: 120 }) ?? []
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours.
    const undressed = coloured.map((line) => line.replace(/\u001b\[\dm/g, '').trimEnd())
    expect(undressed).toEqual(plain.map((line) => line.trimEnd()))
  })
})

test('of an event that is too long the end of the name is kept, which tells it from others', () => {
  expect(shorten(['+sdown sessions-1'], 12)).toBe('+sdown …ns-1')
  expect(shorten(['+switch-master n3', '→ n3'], 8)).toBe('→ n3')
  expect(shorten(['partition a | b c d'], 10)).toBe('partition…')
})
