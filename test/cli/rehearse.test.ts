import { expect, test } from 'vitest'
import { type RehearsalTime, rehearseWhenCalm } from '../../src/cli/sentinel/rehearse.ts'
import type { Rehearsal } from '../../src/rehearsal/rehearsal.ts'

const HALF_AN_HOUR_MS = 30 * 60_000

/** A process whose time passes when it rests. */
class Day implements RehearsalTime {
  readonly rests: number[] = []
  readonly said: string[] = []
  #work: (() => void)[] = []
  #nowMs = 0

  nowMs(): number {
    return this.#nowMs
  }

  later(afterMs: number, work: () => void): void {
    this.rests.push(afterMs)
    this.#work.push(() => {
      this.#nowMs += afterMs
      work()
    })
  }

  busy(forMs: number): void {
    this.#nowMs += forMs
  }

  readonly log = (level: string, text: string) => void this.said.push(`${level}: ${text}`)

  /** Does what is due, so many times. */
  async pass(times: number): Promise<void> {
    for (let left = times; left > 0; left--) {
      this.#work.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

function* pieces(day: Day, count: number, eachMs: number): Rehearsal {
  for (let left = count; left > 0; left--) {
    day.busy(eachMs)
    yield
  }
}

test('a rehearsal begins five seconds after the start and rests after two milliseconds of work', async () => {
  const day = new Day()
  rehearseWhenCalm(day.log, day, async () => () => pieces(day, 6, 1))
  await day.pass(4)
  expect(day.rests).toEqual([5_000, 20, 20, 20, HALF_AN_HOUR_MS])
  expect(day.said).toEqual(['debug: failovers were rehearsed, for 66 ms'])
})

test('failovers are rehearsed again and again, half an hour apart', async () => {
  const day = new Day()
  let begun = 0
  const begin = () => {
    begun++
    return pieces(day, 1, 1)
  }
  rehearseWhenCalm(day.log, day, async () => begin)
  await day.pass(10)
  expect(begun).toBe(10)
  expect(day.rests.slice(1)).toEqual(Array.from({ length: 10 }, () => HALF_AN_HOUR_MS))
})

test('a rehearsal that fails is told and is the last one', async () => {
  const day = new Day()
  // biome-ignore lint/correctness/useYield: it fails before
  function* failing(): Rehearsal {
    throw new Error('no stage')
  }
  rehearseWhenCalm(day.log, day, async () => failing)
  await day.pass(3)
  expect(day.rests).toEqual([5_000])
  expect(day.said).toEqual([
    'warning: failovers cannot be rehearsed: no stage; they work, and take longer',
  ])
})

test('a rehearsal that cannot be loaded is told and nothing else', async () => {
  const day = new Day()
  rehearseWhenCalm(day.log, day, () => Promise.reject(new Error('no such module')))
  await day.pass(3)
  expect(day.rests).toEqual([5_000])
  expect(day.said[0]).toMatch(/^warning: failovers cannot be rehearsed: no such module/)
})
