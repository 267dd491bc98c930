/** How a file says what a liar does; what the file leaves out is as in truth. */
import { z } from 'zod'
import type { Action } from '../../history/action.ts'
import { isEpochWord, type Lie } from '../../history/lie.ts'
import {
  count,
  duration,
  name,
  names,
  partial,
  positive,
  requireOne,
  word,
  yes,
} from './schema-words.ts'
import type { StepPlace } from './symbols.ts'

/** A harmful epoch is written as `2^48`: YAML would round the number. */
const epoch = word.refine(isEpochWord, {
  error: 'must be an epoch: current, config, 2^48 or a number, each also with + 3 or - 3',
})

const question = z.strictObject({
  id: word.optional(),
  epoch: epoch.optional(),
  group: name.optional(),
})

const LIES = {
  hello: z.strictObject({
    id: word.optional(),
    at: name.optional(),
    epoch: epoch.optional(),
    /** Any text: a group that no Sentinel watches is a lie too. */
    group: word.optional(),
    master: name.optional(),
    'config-epoch': epoch.optional(),
  }),
  vote: question,
  confer: question,
  replica: z.strictObject({ at: name.optional() }),
  answer: z.strictObject({
    down: yes.optional(),
    leader: z.enum(['nobody', 'made-up'], { error: 'must be nobody or made-up' }).optional(),
    epoch: epoch.optional(),
    replicas: count.max(100_000, { error: 'must be at most 100000' }).optional(),
  }),
} as const

export const lie = z
  .strictObject({
    by: name,
    to: names.optional(),
    times: positive.max(10_000, { error: 'must be at most 10000' }).optional(),
    every: duration.optional(),
    ...partial(LIES),
  })
  .superRefine((value, context) => requireOne(value, Object.keys(LIES), context))
  .refine((value) => value.answer !== undefined || value.to !== undefined, {
    error: 'must say to whom: to is missing',
  })
  .refine(({ answer, to, times, every }) => answer === undefined || !(to ?? times ?? every), {
    error: 'has answer and to, times or every: it answers whoever comes, as long as it lives',
  })

type RawLie = z.output<typeof lie>

/** Places that are no names of processes. */
const PLACES: readonly string[] = ['self', 'new', 'nowhere']
const EVERY_MS = 100

export function buildLie(raw: RawLie, here: StepPlace): Action {
  const { by, to = [] } = raw
  here.at('by').liar(by)
  const audience = here.at('to').nodesOrSentinels(to)
  return { kind: 'lie', process: by, audience, lie: lieOf(raw, here) }
}

function lieOf(raw: RawLie, here: StepPlace): Lie {
  const often = { times: raw.times ?? 1, everyMs: raw.every ?? EVERY_MS }
  if (raw.hello !== undefined) return { ...often, ...helloOf(raw.hello, here) }
  const kind = raw.vote === undefined ? 'confer' : 'vote'
  const asked = raw[kind]
  if (asked !== undefined) {
    const { id = 'made-up', epoch = 'current', group } = asked
    return { ...often, kind, id, epoch, group: here.at(kind).groupOf(group) }
  }
  if (raw.replica !== undefined) {
    return { ...often, kind: 'replica', at: placeOf(raw.replica.at, here.at('replica')) }
  }
  const { down = false, leader = 'nobody', epoch = 'asked', replicas = 0 } = raw.answer ?? {}
  return { kind: 'answer', isDown: down, leader, epoch, replicas }
}

function helloOf(raw: NonNullable<RawLie['hello']>, lie: StepPlace) {
  const here = lie.at('hello')
  const { id = 'made-up', epoch = 'current', master, 'config-epoch': configEpoch = 'config' } = raw
  return {
    ...{ kind: 'hello' as const, id, epoch, configEpoch, at: placeOf(raw.at, here) },
    group: raw.group ?? here.groupOf(undefined),
    master: master === undefined ? undefined : placeOf(master, here),
  }
}

function placeOf(name: string | undefined, here: StepPlace): string {
  if (name === undefined || PLACES.includes(name)) return name ?? 'self'
  here.process(name)
  return name
}
