/** Looking names up with a name server that a test holds in its hand. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer } from '../../../src/core/external-query.ts'
import { answerLater } from '../../../src/io/external-queries.ts'
import { NameLookups } from '../../../src/io/network/name-lookups.ts'

/** Answers when it is told to, and remembers what it is looking up. */
class NameServer {
  readonly running = new Map<string, (answer: string | Error) => void>()
  readonly asked: string[] = []

  readonly lookup = (host: string): Promise<string> => {
    this.asked.push(host)
    return new Promise((found, failed) => {
      this.running.set(host, (answer) => {
        this.running.delete(host)
        if (typeof answer === 'string') found(answer)
        else failed(answer)
      })
    })
  }

  async answer(host: string, answer: string | Error): Promise<void> {
    this.running.get(host)?.(answer)
    await vi.advanceTimersByTimeAsync(0)
  }
}

let server: NameServer
let lookups: NameLookups
/** What became of each question, in the order the answers came. */
let outcomes: string[]

function ask(host: string): void {
  lookups.resolve(host).then(
    (address) => outcomes.push(`${host} ${address}`),
    (error: Error) => outcomes.push(`${host}: ${error.message}`),
  )
}

beforeEach(() => {
  vi.useFakeTimers()
  server = new NameServer()
  lookups = new NameLookups(server.lookup)
  outcomes = []
})

afterEach(() => {
  vi.useRealTimers()
})

/** Makes a name one that is found quickly. */
async function prove(host: string): Promise<void> {
  ask(host)
  await server.answer(host, '10.0.0.1')
  outcomes = []
  server.asked.length = 0
}

describe('lookups', () => {
  test('equal questions share one lookup', async () => {
    ask('db-1')
    ask('db-1')
    expect(server.asked).toEqual(['db-1'])
    await server.answer('db-1', '10.0.0.1')
    expect(outcomes).toEqual(['db-1 10.0.0.1', 'db-1 10.0.0.1'])
  })

  test('a name is looked up anew once its lookup has ended', async () => {
    await prove('db-1')
    ask('db-1')
    await server.answer('db-1', '10.0.0.2')
    expect(outcomes).toEqual(['db-1 10.0.0.2'])
  })

  test('a silent name server is given up after five seconds, with a reason', async () => {
    ask('db-1')
    await vi.advanceTimersByTimeAsync(4_999)
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(outcomes).toEqual(['db-1: no name server has answered within 5 s'])
  })

  test('names that have never been found take one of the two places, one after the other', async () => {
    for (const host of ['dead-1', 'dead-2', 'dead-3']) ask(host)
    expect([...server.running.keys()]).toEqual(['dead-1'])
    await server.answer('dead-1', new Error('ENOTFOUND'))
    expect([...server.running.keys()]).toEqual(['dead-2'])
  })

  test('while the names of a dead zone hang, one that was found quickly is found again', async () => {
    await prove('db-1')
    for (let i = 0; i < 50; i++) ask(`dead-${i}`)
    await vi.advanceTimersByTimeAsync(60_000)
    outcomes = []
    ask('db-1')
    await server.answer('db-1', '10.0.0.1')
    expect(outcomes).toEqual(['db-1 10.0.0.1'])
  })

  test('one that has become slow loses its right to the free place', async () => {
    await prove('db-1')
    await prove('db-2')
    ask('db-1')
    await vi.advanceTimersByTimeAsync(2_000)
    await server.answer('db-1', '10.0.0.1')
    ask('dead')
    ask('db-1')
    expect([...server.running.keys()]).toEqual(['dead'])
    ask('db-2')
    expect([...server.running.keys()]).toEqual(['dead', 'db-2'])
  })

  test('who lost patience keeps the place in the queue, and asks again', async () => {
    ask('dead')
    ask('db-1')
    await vi.advanceTimersByTimeAsync(8_000)
    ask('db-1')
    await server.answer('dead', new Error('EAI_AGAIN'))
    await server.answer('db-1', '10.0.0.1')
    expect(outcomes.slice(-1)).toEqual(['db-1 10.0.0.1'])
    expect(server.asked).toEqual(['dead', 'db-1'])
  })

  test('there is an end to how many names can wait', async () => {
    for (let i = 0; i < 1_001; i++) ask(`host-${i}`)
    await vi.advanceTimersByTimeAsync(0)
    expect(outcomes).toEqual(['host-1000: too many host names are being looked up'])
  })
})

describe('questions of the machine', () => {
  const answers: (readonly [number, Answer])[] = []
  function question(inquiry: number, host: string): void {
    answerLater(inquiry, { kind: 'resolve', host }, (...told) => answers.push(told), {
      names: lookups,
    })
  }

  test('are answered once each, also when nothing is found', async () => {
    question(1, 'db-1')
    question(2, 'db-2')
    question(3, 'db-1')
    expect(answers).toEqual([])
    await server.answer('db-1', '10.0.0.1')
    await server.answer('db-2', Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }))
    expect(answers).toEqual([
      [1, { kind: 'resolve', address: '10.0.0.1' }],
      [3, { kind: 'resolve', address: '10.0.0.1' }],
      [2, { kind: 'failed', reason: 'ENOTFOUND' }],
    ])
  })
})
