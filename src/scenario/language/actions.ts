/**
 * What a step of the timeline can do: each word of a file with what has to follow it and the
 * actions it stands for. Most words stand for one action, some for several that a file says more
 * briefly. An action's word is its kind, written with dashes.
 */
import { z } from 'zod'
import { type Action, type ActionKind, placesIn, placeWords } from '../../history/action.ts'
import { buildLie, lie } from './lies.ts'
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
import type { StepPlace } from './symbols.ts'

interface ActionWord<Schema extends z.ZodType> {
  readonly schema: Schema
  /** Unknown names are noted as problems of the place. */
  readonly build: (raw: z.output<Schema>, here: StepPlace) => readonly Action[]
}

function actionWord<Schema extends z.ZodType>(
  schema: Schema,
  build: ActionWord<Schema>['build'],
): ActionWord<Schema> {
  return { schema, build }
}

type PlainKind = 'kill' | 'stop' | 'pause' | 'resume' | 'start'

const toProcesses = (kind: PlainKind) =>
  actionWord(names, (all, here) => [{ kind, processes: here.processes(all) }])

const twoHosts = z.tuple([name, name], { error: 'must be two hosts or zones' })

/** One direction between two hosts or zones, or both. */
const onPath = (kind: 'cut' | 'hold' | 'refuse') =>
  actionWord(
    z.union([z.strictObject({ from: name, to: name }), z.strictObject({ between: twoHosts })], {
      error: 'must be from and to, one host or zone each, or between: [a, b] for both directions',
    }),
    (raw, here) => {
      const isBoth = 'between' in raw
      const ends = isBoth ? raw.between : [raw.from, raw.to]
      const [from, to] = [
        here.at(isBoth ? 'between' : 'from').hosts(ends.slice(0, 1)),
        here.at(isBoth ? 'between' : 'to').hosts(ends.slice(1)),
      ]
      const there = here.paths(from, to).map((path) => ({ kind, ...path }))
      return isBoth ? [...there, ...there.map(turned)] : there
    },
  )

function turned<Way extends { from: string | undefined; to: string | undefined }>(way: Way): Way {
  return { ...way, from: way.to, to: way.from }
}

const DISK_REASONS = { write: 'No space left on device', sync: 'Input/output error' } as const

const SHAPING = ['latency', 'jitter', 'loss', 'duplication', 'bandwidth'] as const

const shape = z
  .strictObject({
    from: name.optional(),
    to: name.optional(),
    between: twoHosts.optional(),
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

/** Exactly one of these says what a step does. */
export const ACTIONS = {
  kill: toProcesses('kill'),
  stop: toProcesses('stop'),
  pause: toProcesses('pause'),
  resume: toProcesses('resume'),
  start: toProcesses('start'),
  restart: actionWord(
    z.union([names, z.strictObject({ process: names, disk: disk.optional() })], {
      error: 'must be a name, a list of names, or process and disk',
    }),
    (raw, here) => {
      const { process, disk = 'kept' } = Array.isArray(raw) ? { process: raw } : raw
      return [{ kind: 'restart', processes: here.processes(process), disk }]
    },
  ),
  stall: actionWord(
    z.strictObject({ process: names, for: duration }),
    ({ process, for: forMs }, here) => [
      { kind: 'stall', processes: here.at('process').processes(process), forMs },
    ],
  ),
  'power-loss': actionWord(names, (all, here) => [{ kind: 'powerLoss', hosts: here.hosts(all) }]),
  readdress: actionWord(
    z.union([name, z.strictObject({ host: name, disk: disk.optional() })], {
      error: 'must be a host, or host and disk',
    }),
    (raw, here) => {
      const { host, disk = 'kept' } = typeof raw === 'string' ? { host: raw } : raw
      return [{ kind: 'readdress', host: here.host(host), disk }]
    },
  ),
  partition: actionWord(
    z
      .array(names, { error: 'must be a list of groups of hosts' })
      .min(1, { error: 'must have a group' }),
    (groups, here) => {
      const parts = groups.map((hosts, index) => here.at(index).hosts(hosts))
      here.once(parts.flat())
      here.parts(parts)
      return [{ kind: 'partition', groups: parts }]
    },
  ),
  cut: onPath('cut'),
  hold: onPath('hold'),
  release: actionWord(yes, () => [{ kind: 'release' }]),
  refuse: onPath('refuse'),
  shape: actionWord(shape, ({ between, from, to, ...raw }, here) => {
    const place = between === undefined ? here : here.at('between')
    const ends = (between ?? [from, to]).map((end) =>
      end === undefined ? undefined : place.hosts([end]),
    )
    const there = shapedPaths(ends[0], ends[1], here).map((path) => {
      return { kind: 'shape' as const, ...path, shape: toShape(raw) }
    })
    return between === undefined ? there : [...there, ...there.map(turned)]
  }),
  reset: actionWord(
    z.union([name, z.strictObject({ host: name, peer: name.optional() })], {
      error: 'must be a host, or host and peer',
    }),
    (raw, here) => {
      const { host, peer } = typeof raw === 'string' ? { host: raw, peer: undefined } : raw
      const hosts = here.hosts([host])
      if (peer === undefined) return hosts.map((one) => ({ kind: 'reset', host: one, peer }))
      const paths = here.paths(hosts, here.hosts([peer]))
      return paths.map((path) => ({ kind: 'reset', host: path.from, peer: path.to }))
    },
  ),
  heal: actionWord(yes, () => [{ kind: 'heal' }]),
  'clock-jump': actionWord(
    z.strictObject({ process: names, by: signedDuration }),
    ({ process: all, by: byMs }, here) =>
      here.processes(all).map((process) => ({ kind: 'clockJump', byMs, process })),
  ),
  'clock-drift': actionWord(
    z.strictObject({ process: names, rate: clockRate }),
    ({ process: all, rate }, here) =>
      here.processes(all).map((process) => ({ kind: 'clockDrift', rate, process })),
  ),
  'disk-failure': actionWord(
    z.strictObject({
      process: names,
      operation: z.enum(['write', 'sync'], { error: 'must be write or sync' }).optional(),
      reason: z.string().optional(),
    }),
    ({ process: all, operation = 'write', reason = DISK_REASONS[operation] }, here) =>
      here.processes(all).map((process) => ({ kind: 'diskFailure', operation, reason, process })),
  ),
  'disk-delay': actionWord(
    z.strictObject({ process: names, by: duration }),
    ({ process: all, by: byMs }, here) =>
      here.processes(all).map((process) => ({ kind: 'diskDelay', byMs, process })),
  ),
  'roll-back': actionWord(
    z.strictObject({ process: name, by: duration }),
    ({ process, by: byMs }, here) => {
      here.at('process').sentinel(process)
      return [{ kind: 'rollBack', process, byMs }]
    },
  ),
  'memory-use': actionWord(
    z.strictObject({ process: names, share }),
    ({ process: all, share: used }, here) => {
      here.at('process').nodes(all)
      return all.map((process) => ({ kind: 'memoryUse', process, share: used }))
    },
  ),
  'disk-repair': actionWord(names, (all, here) =>
    here.processes(all).map((process) => ({ kind: 'diskRepair', process })),
  ),
  measure: actionWord(yes, () => [{ kind: 'measure' }]),
  lie: actionWord(lie, (raw, here) => [buildLie(raw, here)]),
  command: actionWord(
    z.strictObject({ to: name, argv: z.array(word).min(1, { error: 'must have a word' }) }),
    ({ to, argv }, here) => {
      here.at('to').nodesOrSentinels([to])
      for (const place of placesIn(argv)) here.at('argv').process(place)
      return [{ kind: 'command', process: to, argv }]
    },
  ),
  failover: actionWord(
    z.strictObject({
      at: name,
      group: name.optional(),
      coordinated: yes.optional(),
      to: name.optional(),
      'dry-run': yes.optional(),
    }),
    ({ at, group, coordinated, to, 'dry-run': isDryRun }, here) => {
      here.at('at').sentinel(at)
      if (to !== undefined) here.at('to').node(to)
      const how = [
        ...(coordinated ? ['COORDINATED'] : []),
        ...(to === undefined ? [] : ['TO', ...placeWords(to)]),
        ...(isDryRun ? ['DRYRUN'] : []),
      ]
      const argv = ['SENTINEL', 'FAILOVER', here.groupOf(group), ...how]
      return [{ kind: 'command', process: at, argv }]
    },
  ),
  // `pause` and `resume` stop and continue processes; these are about automatic failover.
  'pause-failover': actionWord(
    z.strictObject({
      at: name,
      group: name.optional(),
      for: duration,
      reason: z.string().optional(),
    }),
    ({ at, group, for: forMs, reason }, here) => {
      here.at('at').sentinel(at)
      if (forMs < 1_000 || forMs % 1_000 !== 0) {
        here.at('for').wrong('is no whole number of seconds', 'SENTINEL PAUSE counts in seconds')
      }
      const words = reason === undefined ? [] : [reason]
      const argv = ['SENTINEL', 'PAUSE', here.groupOf(group), String(forMs / 1_000), ...words]
      return [{ kind: 'command', process: at, argv }]
    },
  ),
  'resume-failover': actionWord(
    z.strictObject({ at: name, group: name.optional() }),
    ({ at, group }, here) => {
      here.at('at').sentinel(at)
      return [{ kind: 'command', process: at, argv: ['SENTINEL', 'RESUME', here.groupOf(group)] }]
    },
  ),
} as const satisfies Readonly<Record<Dashed<ActionKind> | OrderWord, unknown>>

/** Words for commands to a Sentinel. */
type OrderWord = 'failover' | 'pause-failover' | 'resume-failover'

/** `powerLoss`: `power-loss`. */
type Dashed<Kind extends string> = Kind extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Dashed<Rest>}`
  : Kind

type Actions = typeof ACTIONS
type StepWord = keyof Actions

export const ACTION_SCHEMAS = Object.fromEntries(
  Object.entries(ACTIONS).map(([key, { schema }]) => [key, schema]),
) as { readonly [Word in StepWord]: Actions[Word]['schema'] }

type RawActions = { readonly [Word in StepWord]?: z.output<Actions[Word]['schema']> | undefined }

/** An empty list: the step does nothing. */
export function buildActions(raw: RawActions, step: StepPlace): readonly Action[] {
  const key = (Object.keys(ACTIONS) as StepWord[]).find((one) => raw[one] !== undefined)
  if (key === undefined) return []
  return ACTIONS[key].build(raw[key] as never, step.at(key))
}

/** The word of scenario files for an action. */
export function wordOf({ kind }: Action): string {
  return kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

type RawShape = Pick<z.output<typeof shape>, (typeof SHAPING)[number]>

type ShapedPath = Pick<Extract<Action, { kind: 'shape' }>, 'from' | 'to'>

/** An end that is not named is any host. */
function shapedPaths(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
  here: StepPlace,
): readonly ShapedPath[] {
  if (left !== undefined && right !== undefined) return here.paths(left, right)
  return (left ?? [undefined]).flatMap((from) => (right ?? [undefined]).map((to) => ({ from, to })))
}

function toShape({ latency, jitter, loss, duplication, bandwidth }: RawShape) {
  return {
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(jitter === undefined ? {} : { jitterMs: jitter }),
    ...(loss === undefined ? {} : { loss }),
    ...(duplication === undefined ? {} : { duplication }),
    ...(bandwidth === undefined ? {} : { bytesPerSecond: bandwidth }),
  }
}
