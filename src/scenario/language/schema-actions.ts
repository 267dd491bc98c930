/** What a step of the timeline can do. `build-steps.ts` makes actions of it. */
import { z } from 'zod'
import {
  clockRate,
  disk,
  duration,
  name,
  names,
  positive,
  share,
  signedDuration,
  word,
  yes,
} from './schema-words.ts'

const way = z.strictObject({ from: name, to: name })

const shape = z
  .strictObject({
    from: name.optional(),
    to: name.optional(),
    between: z.tuple([name, name], { error: 'must be two hosts' }).optional(),
    latency: duration.optional(),
    jitter: duration.optional(),
    loss: share.optional(),
    duplication: share.optional(),
    bandwidth: positive.optional(),
  })
  .refine(({ between, from, to }) => between === undefined || (from ?? to) === undefined, {
    error: 'has between and from or to: one direction or both, not both at once',
  })
  .refine((all) => SHAPING.some((key) => all[key] !== undefined), {
    error: 'must have one of latency, jitter, loss, duplication, bandwidth',
  })

const SHAPING = ['latency', 'jitter', 'loss', 'duplication', 'bandwidth'] as const

/** Exactly one of these says what a step does. */
export const ACTIONS = {
  kill: names,
  stop: names,
  pause: names,
  resume: names,
  start: names,
  restart: z.union([names, z.strictObject({ process: names, disk: disk.optional() })], {
    error: 'must be a name, a list of names, or process and disk',
  }),
  stall: z.strictObject({ process: names, for: duration }),
  'power-loss': names,
  readdress: z.union([name, z.strictObject({ host: name, disk: disk.optional() })], {
    error: 'must be a host, or host and disk',
  }),
  partition: z
    .array(names, { error: 'must be a list of groups of hosts' })
    .min(1, { error: 'must have a group' }),
  cut: way,
  hold: way,
  release: yes,
  refuse: way,
  shape,
  reset: z.union([name, z.strictObject({ host: name, peer: name.optional() })], {
    error: 'must be a host, or host and peer',
  }),
  heal: yes,
  'clock-jump': z.strictObject({ process: names, by: signedDuration }),
  'clock-drift': z.strictObject({ process: names, rate: clockRate }),
  'disk-failure': z.strictObject({
    process: names,
    operation: z.enum(['write', 'sync'], { error: 'must be write or sync' }).optional(),
    reason: z.string().optional(),
  }),
  'disk-repair': names,
  command: z.strictObject({ to: name, argv: z.array(word).min(1, { error: 'must have a word' }) }),
  failover: z.strictObject({ at: name, group: name.optional(), coordinated: yes.optional() }),
} as const

export type ActionKey = keyof typeof ACTIONS
