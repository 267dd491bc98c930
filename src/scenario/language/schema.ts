/**
 * The shape of a scenario file, before names are looked up. Messages are for the person who wrote
 * the file; `problems.ts` works out how to mend a mistake.
 */
import { z } from 'zod'
import {
  type GroupOption,
  MORE_OPTION_ROWS,
  OPERATION_KINDS,
  PROMOTION_ROW,
  SPEC_OPTION_ROWS,
} from '../../history/topology.ts'
import { ACTION_SCHEMAS } from './actions.ts'
import { ABOUT, CLAIMS, CONDITIONS } from './schema-claims.ts'
import {
  countFrom,
  duration,
  durationFrom,
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
  promotion: optionValue(PROMOTION_ROW).optional(),
})

const sentinel = z.strictObject({
  host: name,
  port: port.optional(),
  'joins-later': yes.optional(),
})

const liar = z.strictObject({
  host: name.optional(),
  port: port.optional(),
  'knows-password': yes.optional(),
})

const group = z.strictObject({
  master: name,
  ...Object.fromEntries(
    SPEC_OPTION_ROWS.map(({ row, usual }) => {
      const value = optionValue(row)
      return [row.yml, usual === undefined ? value : value.optional()]
    }),
  ),
  ...Object.fromEntries(MORE_OPTION_ROWS.map(({ row }) => [row.yml, optionValue(row).optional()])),
})

function optionValue(row: GroupOption): z.ZodType {
  if (row.kind === 'duration') return durationFrom(row.least)
  if (row.kind === 'count') return countFrom(row.least)
  const words = row.kind === 'word' ? row.words : row.kind === 'rules' ? row.ruleWords : undefined
  if (words === undefined) return z.string({ error: 'must be text' })
  return z.enum(words, { error: `must be ${[...words].sort().join(' or ')}` })
}

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
  liars: named(liar).optional(),
  password: z
    .string({ error: 'must be a text' })
    .regex(/^[!-~]+$/, { error: 'must be a word' })
    .optional(),
})

const isRepeatable = (operation: string): boolean => operation === 'keys' || operation === 'set'

const isWriteOnly = (operation: string): boolean => ['keys', 'set', 'counter'].includes(operation)

/** Judged answer by answer, on the understanding that a connection leads to one node. */
const isOneStory = (operation = 'keys'): boolean => ['register', 'shared'].includes(operation)

const client = z
  .strictObject({
    host: name.optional(),
    group: name.optional(),
    operation: z
      .enum(OPERATION_KINDS, { error: 'must be keys, set, counter, register, data or shared' })
      .optional(),
    rate: positive.max(10_000, { error: 'must be at most 10000' }).optional(),
    think: duration.optional(),
    pipeline: positive.max(64, { error: 'must be at most 64' }).optional(),
    proxy: yes.optional(),
    'half-closes': yes.optional(),
    wait: positive.max(9, { error: 'must be at most 9 replicas' }).optional(),
    manner: z.enum(['prompt', 'ioredis'], { error: 'must be prompt or ioredis' }).optional(),
  })
  .refine(({ rate, think }) => rate === undefined || think === undefined, {
    error: 'has rate and think: it works at a steady rate, or waits for each answer',
  })
  .refine(({ pipeline, think }) => pipeline === undefined || think === undefined, {
    error: 'has pipeline and think: it sends several operations at once, or waits for each answer',
  })
  .refine(({ pipeline, operation = 'keys' }) => pipeline === undefined || isWriteOnly(operation), {
    error:
      'sends several operations at once (pipeline): take keys, set or counter, which only write',
  })
  .refine(({ proxy, operation }) => proxy === undefined || !isOneStory(operation), {
    error:
      'has a proxy, so its connection outlives a master, and what was lost with it: take keys, set, counter or data',
  })
  .refine(({ manner, operation = 'keys' }) => manner !== 'ioredis' || isRepeatable(operation), {
    error: 'sends again what was not answered (manner: ioredis), which only keys and set can bear',
  })
  .refine(({ wait, operation = 'keys' }) => wait === undefined || isWriteOnly(operation), {
    error: 'sends WAIT after each write: take keys, set or counter, which only write',
  })

const workload = z.strictObject({ clients: z.record(name, client).optional() })

const condition = z
  .strictObject({ ...ABOUT, ...partial(CONDITIONS) }, { error: 'must be a condition' })
  .superRefine((value, context) => requireOne(value, Object.keys(CONDITIONS), context))

const repeated = z
  .strictObject({
    at: duration.optional(),
    group: name.optional(),
    ...partial(ACTION_SCHEMAS),
  })
  .superRefine((value, context) => requireOne(value, Object.keys(ACTION_SCHEMAS), context))

const repeat = z.strictObject({
  times: positive.max(1_000, { error: 'must be at most 1000' }),
  every: durationFrom(1),
  steps: z
    .array(repeated, { error: 'must be a list of steps' })
    .min(1, { error: 'must have a step' }),
})

const step = z
  .strictObject({
    at: timeRef.optional(),
    after: condition.optional(),
    plus: duration.optional(),
    within: duration.optional(),
    as: label.optional(),
    group: name.optional(),
    repeat: repeat.optional(),
    ...partial(ACTION_SCHEMAS),
  })
  .superRefine((value, context) => {
    requireOne(value, ['at', 'after'], context)
    // A step may wait for a moment only to give it a name.
    if (value.after !== undefined && value.as !== undefined && !hasAction(value)) return
    requireOne(value, [...Object.keys(ACTION_SCHEMAS), 'repeat'], context)
  })

function hasAction(value: object): boolean {
  return [...Object.keys(ACTION_SCHEMAS), 'repeat'].some((key) => key in value)
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

type Written<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Written<Value[Key]> }
  : Value

export type RawScenario = z.output<typeof SCENARIO>
export type RawStep = z.output<typeof step>
/** A step as the author of a file has to write it. */
export type StepInput = Written<z.input<typeof step>>
export type RawRepeat = z.output<typeof repeat>
export type RawRepeated = z.output<typeof repeated>
export type RawCondition = z.output<typeof condition>
export type RawExpectation = z.output<typeof expectation>
