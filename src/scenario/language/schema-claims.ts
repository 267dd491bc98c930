/** What can be claimed about a run: by an expectation, or by a step that waits for it. */
import { z } from 'zod'
import { count, duration, name, names, partial, positive, yes } from './schema-words.ts'

const bounds = { 'at-most': count.optional(), 'at-least': positive.optional() }

const event = z.strictObject({
  name: z.string({ error: 'must be a text' }).regex(/^[+-]/, { error: 'must begin with + or -' }),
  at: names.optional(),
  matching: z.string().optional(),
  ...bounds,
})

/** Each is true or false at a moment, or happens at one. */
export const CONDITIONS = {
  master: z.union([name, z.strictObject({ not: name })], { error: 'must be a name or not: name' }),
  'one-master': z.union([yes, z.strictObject({ among: names })], {
    error: 'must be true or among: names',
  }),
  role: z.strictObject({
    node: name,
    is: z.enum(['master', 'replica'], { error: 'must be master or replica' }),
  }),
  replica: z.strictObject({ node: name, of: name }),
  converged: yes,
  'refuses-writes': z.strictObject({ node: name, with: z.string() }),
  'writes-work': z.union([yes, z.strictObject({ client: names })], {
    error: 'must be true or client: names',
  }),
  leader: z.union([yes, names], { error: 'must be true or names of Sentinels' }),
  event,
} as const

/** Exactly one of these says what an expectation is about. */
export const CLAIMS = {
  ...CONDITIONS,
  'lost-writes': z.strictObject({
    ...bounds,
    'acknowledged-by': z
      .enum(['majority', 'minority', 'any'], { error: 'must be majority, minority or any' })
      .optional(),
    cause: z
      .enum(['asynchronous', 'split-brain', 'empty-restart'], {
        error: 'must be asynchronous, split-brain or empty-restart',
      })
      .optional(),
  }),
  failovers: z.strictObject(bounds),
  'dual-writes': z.strictObject({ 'at-most': duration }),
  'stale-reads': z.strictObject(bounds),
  anomalies: z.strictObject(bounds),
  settled: z.strictObject({ within: duration }),
  outage: z.strictObject({ 'at-most': duration, client: names.optional() }),
} as const

/** The group and the Sentinels that a claim is about, beside the claim itself. */
export const ABOUT = { group: name.optional(), 'according-to': names.optional() } as const

const claim = z.strictObject({ ...ABOUT, ...partial(CLAIMS) })

export type RawClaim = z.output<typeof claim>
