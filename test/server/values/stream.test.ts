/**
 * Random histories of stream commands, through a node, beside a model that keeps entries in one array and
 * pending ids in one list. The model knows nothing of nodes, so trimming is exact.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ReplyDecoder } from '../../../src/resp/reply-decoder.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

interface Held {
  readonly ms: number
  readonly to: string
  times: number
}

class Model {
  entries: number[] = []
  last = 0
  added = 0
  groups = new Map<string, { last: number; held: Held[] }>()

  /** An id about there, as milliseconds. */
  before(behind: number): number {
    return Math.max(0, this.last - behind)
  }

  add(ms: number, maxLength: number | undefined): unknown {
    if (ms <= this.last) return ERROR
    this.entries.push(ms)
    this.last = ms
    this.added++
    if (maxLength !== undefined) this.entries.splice(0, this.entries.length - maxLength)
    return `${ms}-0`
  }

  keep(holds: (ms: number, at: number) => boolean): number {
    const before = this.entries.length
    this.entries = this.entries.filter(holds)
    return before - this.entries.length
  }

  readNew(name: string, to: string, count: number, noAck: boolean): unknown {
    const group = this.groups.get(name)
    if (group === undefined) return ERROR
    const fresh = this.entries.filter((ms) => ms > group.last).slice(0, count)
    if (fresh.length === 0) return null
    for (const ms of fresh) {
      group.last = ms
      if (noAck) continue
      group.held = group.held.filter((held) => held.ms !== ms)
      group.held.push({ ms, to, times: 1 })
    }
    return [['s', fresh.map(shown)]]
  }

  readAgain(name: string, to: string): unknown {
    const group = this.groups.get(name)
    if (group === undefined) return ERROR
    const held = sorted(group.held.filter((each) => each.to === to))
    for (const each of held) if (this.entries.includes(each.ms)) each.times++
    const replies = held.map(({ ms }) =>
      this.entries.includes(ms) ? shown(ms) : [`${ms}-0`, null],
    )
    return [['s', replies]]
  }

  acknowledge(name: string, ms: number): number {
    const group = this.groups.get(name)
    const before = group?.held.length ?? 0
    if (group !== undefined) group.held = group.held.filter((held) => held.ms !== ms)
    return before - (group?.held.length ?? 0)
  }

  claim(name: string, to: string, ms: number, isForced: boolean): unknown {
    const group = this.groups.get(name)
    if (group === undefined) return ERROR
    const held = group.held.find((each) => each.ms === ms)
    const exists = this.entries.includes(ms)
    if (held !== undefined || (exists && isForced)) this.acknowledge(name, ms)
    if (!exists || (held === undefined && !isForced)) return []
    group.held.push({ ms, to, times: (held?.times ?? 1) + 1 })
    return [shown(ms)]
  }

  pending(name: string): unknown {
    const group = this.groups.get(name)
    if (group === undefined) return ERROR
    return sorted(group.held).map(({ ms, to, times }) => [`${ms}-0`, to, 0, times])
  }
}

const ERROR = 'an error'

function sorted(held: readonly Held[]): Held[] {
  return [...held].sort((a, b) => a.ms - b.ms)
}

function shown(ms: number): unknown {
  return [`${ms}-0`, pairsOf(ms)]
}

/** Most entries have the same field; some have another, or as many texts as two of the others. */
function pairsOf(ms: number): string[] {
  if (ms % 7 === 0) return ['f', String(ms), 'g', 'f']
  return [ms % 5 === 0 ? 'g' : 'f', String(ms)]
}

type Step = (
  model: Model,
  say: (line: string) => unknown,
) => readonly [ours: unknown, theirs: unknown]

const back = fc.nat(12)
const group = fc.constantFrom('g', 'h')
const reader = fc.constantFrom('a', 'b', 'c')

const add = fc
  .record({ ahead: fc.nat(3), max: fc.option(fc.nat(8), { nil: undefined, freq: 12 }) })
  .map(
    ({ ahead, max }): Step =>
      (model, say) => {
        const at = model.last + ahead
        const trim = max === undefined ? '' : `MAXLEN ${max} `
        return [say(`XADD s ${trim}${at} ${pairsOf(at).join(' ')}`), model.add(at, max)]
      },
  )

const readNew = fc.tuple(group, reader, fc.integer({ min: 1, max: 4 }), fc.nat(4)).map(
  ([name, to, count, luck]): Step =>
    (model, say) => [
      say(`XREADGROUP GROUP ${name} ${to} COUNT ${count}${luck === 0 ? ' NOACK' : ''} STREAMS s >`),
      model.readNew(name, to, count, luck === 0),
    ],
)

const trim = fc.tuple(fc.nat(8), back, fc.boolean()).map(
  ([max, behind, isByLength]): Step =>
    (model, say) => {
      const [surplus, least] = [model.entries.length - max, model.before(behind)]
      if (isByLength) {
        return [say(`XTRIM s MAXLEN ${max}`), model.keep((_, at) => at >= surplus)]
      }
      return [say(`XTRIM s MINID ${least}`), model.keep((ms) => ms >= least)]
    },
)

const remove = fc.tuple(back, back).map(
  ([behind, more]): Step =>
    (model, say) => {
      const [a, b] = [model.before(behind), model.before(behind + more)]
      return [say(`XDEL s ${a} ${b}`), model.keep((ms) => ms !== a && ms !== b)]
    },
)

const regroup = fc.tuple(group, back, fc.boolean()).map(
  ([name, behind, isNew]): Step =>
    (model, say) => {
      const last = model.before(behind)
      const known = model.groups.get(name)
      const reply = say(`XGROUP ${isNew ? 'CREATE' : 'SETID'} s ${name} ${last}`)
      if (isNew !== (known === undefined)) return [reply, ERROR]
      model.groups.set(name, { last, held: known?.held ?? [] })
      return [reply, 'OK']
    },
)

const readAgain = fc.tuple(group, reader).map(
  ([name, to]): Step =>
    (model, say) => [say(`XREADGROUP GROUP ${name} ${to} STREAMS s 0`), model.readAgain(name, to)],
)

const acknowledge = fc.tuple(group, back).map(
  ([name, behind]): Step =>
    (model, say) => {
      const at = model.before(behind)
      return [say(`XACK s ${name} ${at}`), model.acknowledge(name, at)]
    },
)

const claim = fc.tuple(group, reader, back, fc.boolean()).map(
  ([name, to, behind, isForced]): Step =>
    (model, say) => {
      const at = model.before(behind)
      const line = `XCLAIM s ${name} ${to} 0 ${at}${isForced ? ' FORCE' : ''}`
      return [say(line), model.claim(name, to, at, isForced)]
    },
)

const look = fc.tuple(back, back).map(
  ([behind, more]): Step =>
    (model, say) => {
      const [from, to] = [model.before(behind + more), model.before(behind)]
      const within = model.entries.filter((ms) => ms >= from && ms <= to).map(shown)
      return [
        [say(`XRANGE s ${from} ${to}`), say(`XREVRANGE s ${to} ${from}`), say('XLEN s')],
        [within, [...within].reverse(), model.entries.length],
      ]
    },
)

const lookAtPending = group.map(
  (name): Step =>
    (model, say) => [say(`XPENDING s ${name} - + 99`), model.pending(name)],
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: add },
  { weight: 4, arbitrary: readNew },
  { weight: 3, arbitrary: readAgain },
  { weight: 3, arbitrary: lookAtPending },
  { weight: 2, arbitrary: claim },
  { weight: 2, arbitrary: acknowledge },
  { weight: 2, arbitrary: look },
  { weight: 1, arbitrary: remove },
  { weight: 1, arbitrary: trim },
  { weight: 1, arbitrary: regroup },
)

function plain(bytes: string): unknown {
  const decoder = new ReplyDecoder()
  decoder.push(bytes)
  return plainReply(decoder.next())
}

function plainReply(reply: ReturnType<ReplyDecoder['next']>): unknown {
  switch (reply?.kind) {
    case 'error':
      return ERROR
    case 'array':
      return reply.items.map(plainReply)
    case 'simple':
      return reply.text
    case 'bulk':
      return reply.bytes
    case 'integer':
      return reply.value
    default:
      return null
  }
}

describe('a stream', () => {
  test.each([
    { name: 'with nodes of two entries', nodeEntries: '2' },
    { name: 'with nodes as they come', nodeEntries: '100' },
  ])('$name answers as the model does', ({ nodeEntries }) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 120 }), (steps) => {
        const client = new NodeHarness({ 'stream-node-max-entries': nodeEntries }).client()
        const say = (line: string) => plain(client.say(line))
        const model = new Model()
        client.say('XGROUP CREATE s never 0 MKSTREAM')
        for (const each of steps) {
          const [ours, theirs] = each(model, say)
          expect(ours).toEqual(theirs)
        }
        expect(say('XINFO STREAM s')).toEqual(
          expect.arrayContaining(['entries-added', model.added]),
        )
      }),
      { numRuns: sized(25, 60) },
    )
  })
})
