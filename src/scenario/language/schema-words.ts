/**
 * The small values of which scenario files are made. Messages are for the person who wrote the
 * file.
 */
import { z } from 'zod'
import { parseDuration } from '../duration.ts'
import type { TimeRef } from '../scenario-file.ts'

export const name = z
  .string({ error: 'must be a name' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, { error: 'must be letters, digits, dots, dashes' })

export const names = z.union(
  [name.transform((one) => [one]), z.array(name).min(1, { error: 'must have a name' })],
  {
    error: 'must be a name or a list of names',
  },
)

/** A label must not look like a duration: no time could refer to a step named `3s`. */
export const label = name.regex(/^[A-Za-z]/, { error: 'must begin with a letter' })

export const count = z
  .int({ error: 'must be a whole number' })
  .min(0, { error: 'must not be negative' })

export function countFrom(least: number) {
  return z
    .int({ error: 'must be a whole number' })
    .min(least, { error: `must be at least ${least}` })
}

export const positive = countFrom(1)

export const port = positive.max(65_535, { error: 'must be a port' })

/** A part of the whole: 0.1 is one in ten. */
export const share = z
  .number({ error: 'must be a number' })
  .min(0, { error: 'must be a share from 0 to 1' })
  .max(1, { error: 'must be a share from 0 to 1' })

/**
 * How fast a clock runs: from a tenth of true time to ten times. To make clocks stand still, use
 * `pause`.
 */
export const clockRate = z
  .number({ error: 'must be a number' })
  .min(0.1, { error: 'must be from 0.1 to 10' })
  .max(10, { error: 'must be from 0.1 to 10' })

export const signedDuration = z
  .string({ error: 'must be a duration' })
  .transform((text, context) => {
    const ms = parseDuration(text)
    if (ms !== undefined) return ms
    context.addIssue({ code: 'custom', message: 'must be a duration' })
    return z.NEVER
  })

/** More than a year, the longest life that `vedette fuzz` draws: a longer time is a slip, and its run would never end. */
const MAX_HOURS = 10_000
const TOO_LONG = { error: `must be at most ${MAX_HOURS}h` }

function isPlayable(ms: number): boolean {
  return ms <= MAX_HOURS * 3_600_000
}

export const duration = signedDuration
  .refine((ms) => ms >= 0, { error: 'must not be negative' })
  .refine(isPlayable, TOO_LONG)

export function durationFrom(leastMs: number) {
  return duration.refine((ms) => ms >= leastMs, { error: `must be at least ${leastMs}ms` })
}

/** `3s`, `cut` or `cut + 3s`. */
export const timeRef = z
  .string({ error: 'must be a time' })
  .transform((text, context) => {
    const ref = parseTimeRef(text)
    if (ref !== undefined) return ref
    context.addIssue({ code: 'custom', message: 'must be a time' })
    return z.NEVER
  })
  .refine(({ offsetMs }) => isPlayable(offsetMs), TOO_LONG)

export const TEXT_OR_NUMBER = 'must be a text or a number'

export const word = z
  .union([z.string(), z.number()], { error: TEXT_OR_NUMBER })
  .transform((value) => `${value}`)

export const settings = z
  .record(z.string(), word)
  .transform((values) => new Map(Object.entries(values)))

export const yes = z.literal(true, { error: 'must be true' })

export const disk = z.enum(['kept', 'empty'], { error: 'must be kept or empty' })

export function named<Value extends z.ZodType>(value: Value) {
  return z
    .record(name, value, { error: 'must be a mapping of names' })
    .refine((all) => Object.keys(all).length > 0, { error: 'must not be empty' })
}

type Optional<Shape extends Record<string, z.ZodType>> = {
  [Key in keyof Shape]: z.ZodOptional<Shape[Key]>
}

export function partial<Shape extends Record<string, z.ZodType>>(shape: Shape): Optional<Shape> {
  const entries = Object.entries(shape).map(([key, type]) => [key, type.optional()])
  return Object.fromEntries(entries) as Optional<Shape>
}

export function requireOne(
  value: object,
  wanted: readonly string[],
  context: z.RefinementCtx,
): void {
  const present = wanted.filter((key) => key in value)
  if (present.length === 1) return
  const found = present.length === 0 ? 'none' : present.join(' and ')
  context.addIssue({
    code: 'custom',
    message: `must have exactly one of ${wanted.join(', ')}; it has ${found}`,
  })
}

function parseTimeRef(text: string): TimeRef | undefined {
  const plain = parseDuration(text)
  if (plain !== undefined) return plain < 0 ? undefined : { label: undefined, offsetMs: plain }
  const match = /^([A-Za-z][\w.-]*)(?:\s*\+\s*(.+))?$/.exec(text.trim())
  if (match === null) return undefined
  const offsetMs = match[2] === undefined ? 0 : parseDuration(match[2])
  return offsetMs === undefined || offsetMs < 0 ? undefined : { label: match[1], offsetMs }
}

/** What a step or an expectation says beside its action or claim. */
const BESIDE: readonly string[] = [
  ...['at', 'as', 'after', 'plus', 'until', 'within', 'always', 'never', 'group', 'according-to'],
]

export function isBeside(key: string): boolean {
  return BESIDE.includes(key)
}
