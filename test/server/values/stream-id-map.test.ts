import fc from 'fast-check'
import { expect, test } from 'vitest'
import { streamId } from '../../../src/server/values/stream-id.ts'
import { IdMap } from '../../../src/server/values/stream-id-map.ts'

type Step = readonly [kind: 'set' | 'delete', number: number]

/** What a map of ids does, done slowly. */
class SlowMap {
  readonly #values = new Map<number, number>()

  take([kind, number]: Step, value: number): void {
    if (kind === 'set') this.#values.set(number, value)
    else this.#values.delete(number)
  }

  get(number: number): number | undefined {
    return this.#values.get(number)
  }

  from(number: number): (readonly [string, number])[] {
    const numbers = [...this.#values.keys()].filter((each) => each >= number)
    numbers.sort((a, b) => a - b)
    return numbers.map((each) => [streamId(each, 0), this.#values.get(each) ?? -1] as const)
  }
}

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('set' as const, 'set' as const, 'delete' as const),
  fc.nat(600),
)

test('a map of ids holds what was put in, in order, whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 300, maxLength: 900 }), fc.nat(600), (steps, probe) => {
      const [map, slow] = [new IdMap<number>(), new SlowMap()]
      for (const [value, each] of steps.entries()) {
        const id = streamId(each[1], 0)
        if (each[0] === 'set') map.set(id, value)
        else expect(map.delete(id)).toBe(slow.get(each[1]) !== undefined)
        slow.take(each, value)
      }
      const all = slow.from(0)
      expect([...map.entries()]).toEqual(all)
      expect(map.size).toBe(all.length)
      expect([map.firstId, map.lastId]).toEqual([all[0]?.[0], all.at(-1)?.[0]])
      const id = streamId(probe, 0)
      expect(map.get(id)).toBe(slow.get(probe))
      expect(map.has(id)).toBe(slow.get(probe) !== undefined)
      expect([...map.entries(id)]).toEqual(slow.from(probe))
      expect(map.atOrAfter(id)).toEqual(slow.from(probe)[0])
    }),
    { numRuns: 60 },
  )
})

test('ids that come in order and go from the front cost no more for being many', () => {
  const map = new IdMap<number>()
  const count = 50_000
  for (let ms = 0; ms < count; ms++) map.set(streamId(ms, 0), ms)
  for (let ms = 0; ms < count - 1; ms++) map.delete(streamId(ms, 0))
  expect([map.size, map.firstId]).toEqual([1, streamId(count - 1, 0)])
})
