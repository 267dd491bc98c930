import { describe, expect, test } from 'vitest'
import type { Told } from '../../src/history/data/told.ts'
import { LISTENING, type Question } from '../../src/history/writes.ts'
import type { FinishedRun } from '../../src/scenario/final-checks/finished-run.ts'
import { misheardMessages } from '../../src/scenario/final-checks/heard-messages.ts'

let nowMs = 0

function question(node: string, connection: number, words: string, told?: Told): Question {
  nowMs += 10
  const request = { commands: [words.split(' ')], form: 'command' } as const
  const answer = told === undefined ? undefined : { atMs: nowMs + 5, told }
  return {
    ...{ client: 'app', group: 'g', node, connection, request, write: undefined, answer },
    attemptedAtMs: nowMs,
  }
}

const hears = (node: string, ...heard: readonly string[]) =>
  question(node, LISTENING, 'SUBSCRIBE news', heard)
const publishes = (text: string, told: Told | undefined = 1, connection = 1) =>
  question('n1', connection, `PUBLISH news ${text}`, told)

function isAccused(...questions: readonly Question[]): boolean {
  const run = { history: { questions } } as unknown as FinishedRun
  return misheardMessages(run).length > 0
}

describe('a subscriber', () => {
  test('hears no message twice, and none that nobody published', () => {
    expect(isAccused(publishes('a'), hears('n2', 'a'))).toBe(false)
    expect(isAccused(publishes('a'), hears('n2', 'a', 'a'))).toBe(true)
    expect(isAccused(publishes('a'), hears('n2', 'a'), hears('n2', 'a'))).toBe(false)
    expect(isAccused(publishes('a'), hears('n2', 'b'))).toBe(true)
  })

  test('hears messages of one connection in their order', () => {
    const sent = [publishes('a'), publishes('b'), publishes('c', undefined, 2)]
    expect(isAccused(...sent, hears('n2', 'a', 'b'))).toBe(false)
    expect(isAccused(...sent, hears('n2', 'b', 'a'))).toBe(true)
    expect(isAccused(...sent, hears('n2', 'c', 'a', 'b'))).toBe(false)
  })

  test('misses none before another one where they were published', () => {
    const here = (...heard: readonly string[]) => [
      hears('n1', ...heard),
      publishes('a'),
      publishes('b'),
    ]
    expect(isAccused(...here('a', 'b'))).toBe(false)
    expect(isAccused(...here('b'))).toBe(true)
    // Its connection may have ended.
    expect(isAccused(...here('a'))).toBe(false)
    // It came later than the message.
    expect(isAccused(publishes('a'), hears('n1', 'b'), publishes('b'))).toBe(false)
  })

  test('may miss some elsewhere, and what perhaps was never published', () => {
    expect(isAccused(hears('n2', 'b'), publishes('a'), publishes('b'))).toBe(false)
    const lost = question('n1', 1, 'PUBLISH news a')
    const unsure = [hears('n1', 'b'), { ...lost, attemptedAtMs: nowMs + 20 }]
    nowMs += 30
    expect(isAccused(...unsure, publishes('b'))).toBe(false)
  })
})
