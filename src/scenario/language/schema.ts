/**
 * The shape of a scenario file, before names are looked up. Messages are for the person who wrote the
 * file; the way out is worked out in `problems.ts`.
 */
import { z } from 'zod'
import { DETECTIONS } from '../../sim/topology.ts'
import { ACTIONS } from './schema-actions.ts'
import { ABOUT, CLAIMS, CONDITIONS } from './schema-claims.ts'
import {
  duration,
  label,
  name,
  named,
  names,
  partial,
  port,
  positive,
  requireOne,
  settings,
  timeRef,
  yes,
} from './schema-words.ts'

const node = z.strictObject({
  host: name,
  port: port.optional(),
  'replica-of': name.optional(),
  settings: settings.optional(),
  'joins-later': yes.optional(),
})

const sentinel = z.strictObject({
  host: name,
  port: port.optional(),
  'joins-later': yes.optional(),
})

const group = z.strictObject({
  master: name,
  quorum: positive,
  'down-after': duration.optional(),
  'failover-timeout': duration.optional(),
  'parallel-syncs': positive.optional(),
  detection: z.enum(DETECTIONS, { error: 'must be evidence or ping' }).optional(),
  'refused-after': duration.optional(),
})

const way = z.strictObject({
  between: z.tuple([name, name], { error: 'must be two zones or hosts' }),
  latency: duration,
  jitter: duration.optional(),
})

const topology = z.strictObject({
  latency: duration.optional(),
  jitter: duration.optional(),
  zones: named(names).optional(),
  ways: z.array(way, { error: 'must be a list of ways' }).optional(),
  settings: settings.optional(),
  groups: named(group),
  nodes: named(node),
  sentinels: named(sentinel),
})

const client = z
  .strictObject({
    host: name.optional(),
    group: name.optional(),
    operation: z
      .enum(['keys', 'set', 'counter', 'register'], {
        error: 'must be keys, set, counter or register',
      })
      .optional(),
    rate: positive.max(10_000, { error: 'must be at most 10000' }).optional(),
    think: duration.optional(),
  })
  .refine(({ rate, think }) => rate === undefined || think === undefined, {
    error: 'has rate and think: it works at a steady rate, or waits for each answer',
  })

const workload = z.strictObject({ clients: z.record(name, client).optional() })

const condition = z
  .strictObject({ ...ABOUT, ...partial(CONDITIONS) }, { error: 'must be a condition' })
  .superRefine((value, context) => requireOne(value, Object.keys(CONDITIONS), context))

const step = z
  .strictObject({
    at: timeRef.optional(),
    after: condition.optional(),
    plus: duration.optional(),
    within: duration.optional(),
    as: label.optional(),
    group: name.optional(),
    ...partial(ACTIONS),
  })
  .superRefine((value, context) => {
    requireOne(value, ['at', 'after'], context)
    // A moment may be waited for only to give it a name.
    if (value.after !== undefined && value.as !== undefined && !hasAction(value)) return
    requireOne(value, Object.keys(ACTIONS), context)
  })

function hasAction(value: object): boolean {
  return Object.keys(ACTIONS).some((key) => key in value)
}

const expectation = z
  .strictObject({
    ...ABOUT,
    after: timeRef.optional(),
    until: timeRef.optional(),
    within: duration.optional(),
    always: yes.optional(),
    never: yes.optional(),
    ...partial(CLAIMS),
  })
  .superRefine((value, context) => requireOne(value, Object.keys(CLAIMS), context))

export const SCENARIO = z.strictObject({
  name: z.string({ error: 'must be a text' }),
  story: z.string({ error: 'must be a text' }),
  topology,
  workload: workload.optional(),
  duration: duration.optional(),
  timeline: z.array(step, { error: 'must be a list of steps' }),
  expect: z
    .array(expectation, { error: 'must be a list of expectations' })
    .min(1, { error: 'must expect something' }),
})

export type RawScenario = z.output<typeof SCENARIO>
export type RawStep = z.output<typeof step>
export type RawCondition = z.output<typeof condition>
export type RawExpectation = z.output<typeof expectation>
