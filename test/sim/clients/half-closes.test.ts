import { expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import type { Occurrence } from '../../../src/history/happening.ts'
import { HalfCloses } from '../../../src/sim/clients/half-closes.ts'
import { type Line, ScriptedShell } from '../scripted-shell.ts'

function asked(): { readonly line: Line; readonly told: Occurrence[]; readonly count: number } {
  const shell = new ScriptedShell()
  const told: Occurrence[] = []
  const place = () => ({ host: 'n1', port: 1 })
  const tell = (what: Occurrence) => void told.push(what)
  const halves = new HalfCloses({ shell, place, tell, rng: createRng('half'), password: undefined })
  shell.monoMs = halves.dueMs
  halves.wake(shell.monoMs)
  const line = shell.line('n1:1')
  line.handler.connected()
  return { line, told, count: line.take().length }
}

test('it closes its half behind its commands, and reads on', () => {
  const { line, count } = asked()
  expect(count).toBeGreaterThan(0)
  expect([line.hasClosedHalf, line.isClosed]).toEqual([true, false])
})

test('an orderly end behind the last answer is told to nobody', () => {
  const { line, told, count } = asked()
  line.reply('+OK\r\n'.repeat(count))
  line.handler.closed('closed by the other side')
  expect(told).toEqual([])
})

test('an orderly end before the last answer is told, with how many came', () => {
  const { line, told, count } = asked()
  line.reply('+OK\r\n'.repeat(count - 1))
  line.handler.closed('closed by the other side')
  expect(told).toEqual([
    { kind: 'unanswered', host: 'n1', asked: count, answered: count - 1, tookMs: 0 },
  ])
})

test('a connection that was lost on the way owes nothing', () => {
  const { line, told } = asked()
  line.handler.closed('connection reset')
  expect(told).toEqual([])
})
