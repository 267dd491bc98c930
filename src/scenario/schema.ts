/**
 * The shape of a scenario file, before names are looked up. Messages are for the person who wrote the
 * file; the way out is worked out in `problems.ts`.
 */
import { z } from 'zod'
import { parseDuration } from './duration.ts'

const name = z
  .string({ error: 'must be a name' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error: 'must be letters, digits, dots, dashes' })

const names = z.union([name.transform((one) => [one]), z.array(name).min(1)], {
  error: 'must be a name or a list of names',
})

const count = z.int({ error: 'must be a whole number' }).min(0, { error: 'must not be negative' })
const positive = z.int({ error: 'must be a whole number' }).min(1, { error: 'must be at least 1' })

const signedDuration = z.string({ error: 'must be a duration' }).transform((text, context) => {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  context.addIssue({ code: 'custom', message: 'must be a duration' })
  return z.NEVER
})
const duration = signedDuration.refine((ms) => ms >= 0, { error: 'must not be negative' })

/** `3s`, `cut` or `cut + 3s`. */
const timeRef = z.string({ error: 'must be a time' }).transform((text, context) => {
  const ref = parseTimeRef(text)
  if (ref !== undefined) return ref
  context.addIssue({ code: 'custom', message: 'must be a time' })
  return z.NEVER
})

const word = z
  .union([z.string(), z.number()], { error: 'must be a text or a number' })
  .transform((value) => `${value}`)

const settings = z.record(z.string(), word).transform((values) => new Map(Object.entries(values)))

const yes = z.literal(true, { error: 'must be true' })

const port = positive.max(65_535, { error: 'must be a port' })

const node = z.strictObject({
  host: name,
  port: port.optional(),
  'replica-of': name.optional(),
  settings: settings.optional(),
})

const sentinel = z.strictObject({ host: name, port: port.optional() })

const group = z.strictObject({
  master: name,
  quorum: positive,
  'down-after': duration.optional(),
  'failover-timeout': duration.optional(),
  'parallel-syncs': positive.optional(),
})

const topology = z.strictObject({
  latency: duration.optional(),
  jitter: duration.optional(),
  settings: settings.optional(),
  groups: named(group),
  nodes: named(node),
  sentinels: named(sentinel),
})

const client = z.strictObject({
  host: name.optional(),
  group: name.optional(),
  rate: positive.max(10_000, { error: 'must be at most 10000' }).optional(),
})

const workload = z.strictObject({ clients: z.record(name, client).optional() })

const processes = z.strictObject({ process: names, disk: z.enum(['kept', 'empty']).optional() })

/** Exactly one of these says what a step does. */
export const ACTIONS = {
  kill: names,
  stop: names,
  restart: z.union([names, processes], {
    error: 'must be a name, a list of names, or process and disk',
  }),
  pause: names,
  resume: names,
  partition: z
    .array(names, { error: 'must be a list of groups of hosts' })
    .min(1, { error: 'must have a group' }),
  cut: z.strictObject({ from: name, to: name }),
  heal: yes,
  'clock-jump': z.strictObject({ process: name, by: signedDuration }),
  'disk-failure': z.strictObject({ process: name, reason: z.string().optional() }),
  'disk-repair': name,
  command: z.strictObject({ to: name, argv: z.array(word).min(1, { error: 'must have a word' }) }),
} as const

/** Exactly one of these says what an expectation is about. */
export const CLAIMS = {
  master: z.union([name, z.strictObject({ not: name })], { error: 'must be a name or not: name' }),
  'one-master': z.union([yes, z.strictObject({ among: names })], {
    error: 'must be true or among: names',
  }),
  replica: z.strictObject({ node: name, of: name }),
  'refuses-writes': z.strictObject({ node: name, with: z.string() }),
  'writes-work': z.union([yes, z.strictObject({ client: names })], {
    error: 'must be true or client: names',
  }),
  event: z.strictObject({
    name: z.string().regex(/^[+-]/, { error: 'must begin with + or -' }),
    at: names.optional(),
    matching: z.string().optional(),
  }),
  'lost-writes': z.strictObject({
    'at-most': count,
    'acknowledged-by': z.enum(['majority', 'minority', 'any']).optional(),
  }),
  failovers: z.strictObject({ 'at-most': count }),
  'dual-writes': z.strictObject({ 'at-most': duration }),
} as const

const step = z
  .strictObject({ at: duration, as: name.optional(), ...partial(ACTIONS) })
  .superRefine((value, context) => requireOne(value, Object.keys(ACTIONS), context))

const expectation = z
  .strictObject({
    group: name.optional(),
    'according-to': names.optional(),
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
export type RawExpectation = z.output<typeof expectation>

function named<Value extends z.ZodType>(value: Value) {
  return z
    .record(name, value, { error: 'must be a mapping of names' })
    .refine((all) => Object.keys(all).length > 0, { error: 'must not be empty' })
}

type Optional<Shape extends Record<string, z.ZodType>> = {
  [Key in keyof Shape]: z.ZodOptional<Shape[Key]>
}

function partial<Shape extends Record<string, z.ZodType>>(shape: Shape): Optional<Shape> {
  const entries = Object.entries(shape).map(([key, type]) => [key, type.optional()])
  return Object.fromEntries(entries) as Optional<Shape>
}

function requireOne(value: object, wanted: readonly string[], context: z.RefinementCtx): void {
  const present = wanted.filter((key) => key in value)
  if (present.length === 1) return
  const found = present.length === 0 ? 'none' : present.join(' and ')
  context.addIssue({
    code: 'custom',
    message: `must have exactly one of ${wanted.join(', ')}; it has ${found}`,
  })
}

function parseTimeRef(text: string): { label: string | undefined; offsetMs: number } | undefined {
  const plain = parseDuration(text)
  if (plain !== undefined) return plain < 0 ? undefined : { label: undefined, offsetMs: plain }
  const match = /^([A-Za-z][\w.-]*)(?:\s*\+\s*(.+))?$/.exec(text.trim())
  if (match === null) return undefined
  const offsetMs = match[2] === undefined ? 0 : parseDuration(match[2])
  return offsetMs === undefined || offsetMs < 0 ? undefined : { label: match[1], offsetMs }
}
