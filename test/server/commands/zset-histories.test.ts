/**
 * Random histories of commands on sorted sets, to the node and to a model that keeps maps and sorts them
 * anew for every question. Replies must be the same, and what a replica is told must give the same data.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { doubleText } from '../../../src/base/double-text.ts'
import { encodeReply } from '../../../src/resp/encode.ts'
import { bulk, bulks, integer, NULL, type Reply } from '../../../src/resp/reply.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

type Zset = Map<string, number>

class Model {
  readonly #keys = new Map<string, Zset>()

  run([name = '', key = '', ...words]: readonly string[]): Reply {
    const zset = this.#keys.get(key) ?? new Map<string, number>()
    const reply = this.#answer(name, key, zset, words)
    if (STORING.has(name)) return reply
    if (zset.size === 0) this.#keys.delete(key)
    else this.#keys.set(key, zset)
    return reply
  }

  #answer(name: string, key: string, zset: Zset, words: readonly string[]): Reply {
    const [first = '', second = '', third = ''] = words
    switch (name) {
      case 'ZADD': {
        const before = zset.size
        for (let at = 0; at < words.length; at += 2) zset.set(words[at + 1]!, Number(words[at]))
        return integer(zset.size - before)
      }
      case 'ZINCRBY':
        zset.set(second, (zset.get(second) ?? 0) + Number(first))
        return bulk(doubleText(zset.get(second)!))
      case 'ZREM':
        return integer(words.filter((member) => zset.delete(member)).length)
      case 'ZRANK':
        return rankReply(ordered(zset).findIndex(([member]) => member === first))
      case 'ZREVRANK':
        return rankReply(
          ordered(zset)
            .toReversed()
            .findIndex(([member]) => member === first),
        )
      case 'ZRANGE':
        return flat(between(ordered(zset), Number(first), Number(second)))
      case 'ZREVRANGE':
        return flat(between(ordered(zset).toReversed(), Number(first), Number(second)))
      case 'ZRANGEBYSCORE':
        return flat(ordered(zset).filter(([, score]) => isWithin(score, first, second)))
      case 'ZCOUNT':
        return integer([...zset.values()].filter((score) => isWithin(score, first, second)).length)
      case 'ZPOPMIN':
        return flat(this.#take(zset, ordered(zset).slice(0, Number(first))))
      case 'ZPOPMAX':
        return flat(this.#take(zset, ordered(zset).toReversed().slice(0, Number(first))))
      case 'ZREMRANGEBYRANK':
        return this.#remove(zset, between(ordered(zset), Number(first), Number(second)))
      case 'ZREMRANGEBYSCORE':
        return this.#remove(
          zset,
          ordered(zset).filter(([, score]) => isWithin(score, first, second)),
        )
      case 'ZRANGESTORE':
        return this.#store(key, between(this.#ordered(first), Number(second), Number(third)))
      case 'ZUNIONSTORE':
        return this.#store(key, this.#union(second, third))
      default:
        throw new Error(`the model does not know ${name}`)
    }
  }

  #ordered(key: string): [string, number][] {
    return ordered(this.#keys.get(key) ?? new Map())
  }

  /** The maximum, so that the order of addition does not matter. */
  #union(a: string, b: string): [string, number][] {
    const scores = new Map(this.#ordered(a))
    for (const [member, score] of this.#ordered(b)) {
      scores.set(member, Math.max(score, scores.get(member) ?? Number.NEGATIVE_INFINITY))
    }
    return [...scores]
  }

  #store(key: string, pairs: [string, number][]): Reply {
    if (pairs.length > 0) this.#keys.set(key, new Map(pairs))
    else this.#keys.delete(key)
    return integer(pairs.length)
  }

  #take(zset: Zset, pairs: [string, number][]): [string, number][] {
    for (const [member] of pairs) zset.delete(member)
    return pairs
  }

  #remove(zset: Zset, pairs: [string, number][]): Reply {
    return integer(this.#take(zset, pairs).length)
  }
}

const STORING: ReadonlySet<string> = new Set(['ZRANGESTORE', 'ZUNIONSTORE'])

function ordered(zset: Zset): [string, number][] {
  return [...zset].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
}

function between<T>(items: readonly T[], start: number, stop: number): T[] {
  const at = (index: number) => (index < 0 ? items.length + index : index)
  return items.slice(Math.max(0, at(start)), Math.max(0, at(stop) + 1))
}

function isWithin(score: number, min: string, max: string): boolean {
  const isAbove = min.startsWith('(') ? score > Number(min.slice(1)) : score >= Number(min)
  return isAbove && (max.startsWith('(') ? score < Number(max.slice(1)) : score <= Number(max))
}

function flat(pairs: readonly [string, number][]): Reply {
  return bulks(pairs.flatMap(([member, score]) => [member, doubleText(score)]))
}

function rankReply(rank: number): Reply {
  return rank < 0 ? NULL : integer(rank)
}

const key = fc.constantFrom('a', 'b', 'c')
const member = fc.nat(400).map((n) => `m${n}`)
const score = fc.oneof(fc.nat(20).map(String), fc.double({ min: -9, max: 9 }).map(positive))
const rank = fc.integer({ min: -300, max: 300 }).map(String)
const bound = fc.tuple(fc.constantFrom('', '('), score).map((words) => words.join(''))

/** Decimal digits, and no -0, which small sets do not keep. */
function positive(value: number): string {
  return Number.isNaN(value) || value === 0 ? '0' : String(value)
}

const adding = fc
  .tuple(key, fc.array(fc.tuple(score, member), { minLength: 1, maxLength: 60, size: 'max' }))
  .map(([name, pairs]) => ['ZADD', name, ...pairs.flat()])

const command = fc.oneof(
  { weight: 6, arbitrary: adding },
  fc.tuple(fc.constant('ZINCRBY'), key, fc.integer({ min: -5, max: 5 }).map(String), member),
  fc.tuple(fc.constant('ZREM'), key, member, member),
  fc.tuple(fc.constantFrom('ZRANK', 'ZREVRANK'), key, member),
  fc.tuple(fc.constantFrom('ZRANGE', 'ZREVRANGE'), key, rank, rank, fc.constant('WITHSCORES')),
  fc.tuple(fc.constant('ZRANGEBYSCORE'), key, bound, bound, fc.constant('WITHSCORES')),
  fc.tuple(fc.constant('ZCOUNT'), key, bound, bound),
  fc.tuple(fc.constantFrom('ZPOPMIN', 'ZPOPMAX'), key, fc.nat(9).map(String)),
  fc.tuple(fc.constant('ZREMRANGEBYRANK'), key, rank, rank),
  fc.tuple(fc.constant('ZREMRANGEBYSCORE'), key, bound, bound),
  fc.tuple(fc.constant('ZRANGESTORE'), key, key, rank, rank),
  fc.tuple(key, key, key).map(([to, a, b]) => ['ZUNIONSTORE', to, '2', a, b, 'AGGREGATE', 'MAX']),
) as fc.Arbitrary<string[]>

test('histories of sorted sets are those of the model, on a replica too', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 120, size: 'max' }), (history) => {
      const harness = new NodeHarness()
      const [client, replica] = [harness.client(), harness.replica()]
      const model = new Model()
      for (const argv of history) {
        expect(client.send(...argv), argv.join(' ')).toBe(encodeReply(model.run(argv), 2))
      }
      const copy = new NodeHarness().client()
      for (const line of replica.told()) copy.say(line)
      expect(copy.say('DEBUG DIGEST')).toBe(client.say('DEBUG DIGEST'))
    }),
    { numRuns: sized(15, 40) },
  )
})
