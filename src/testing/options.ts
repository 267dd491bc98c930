/** What a test may say about its cluster, and what it is if it says nothing. */
import { DETECTIONS, type Detection } from '../core/config.ts'

export interface StartClusterOptions {
  /** Names of the groups; `['mymaster']` by default. Each has nodes of its own, all have the same Sentinels. */
  readonly groups?: readonly string[] | undefined
  /** Replicas of each group; 2 by default. */
  readonly replicas?: number | undefined
  /** 3 by default. */
  readonly sentinels?: number | undefined
  /** By default the majority of the Sentinels. */
  readonly quorum?: number | undefined
  /**
   * How long a master must be silent to be taken for down, in milliseconds: 250 by default, at least 20. A
   * killed master is found sooner, by refused connections, unless `detection` is `ping`.
   */
  readonly downAfterMs?: number | undefined
  /** How long a failover may take, in milliseconds; 3 000 by default. */
  readonly failoverTimeoutMs?: number | undefined
  /** `evidence` by default; `ping` is what redis-sentinel does. */
  readonly detection?: Detection | undefined
  /** Password of all nodes and Sentinels; none by default. */
  readonly password?: string | undefined
  /** Directives of redis.conf for all nodes, as in `{ 'min-replicas-to-write': '1' }`. */
  readonly directives?: Readonly<Record<string, string>> | undefined
  /** Decides what the members draw (run ids, votes at the same moment); drawn by default. */
  readonly seed?: string | undefined
}

/** The same with nothing left open. An empty password: none. */
export type FullOptions = {
  readonly [Option in keyof StartClusterOptions]-?: Exclude<StartClusterOptions[Option], undefined>
}

const LEAST_DOWN_AFTER_MS = 20
/** Enough for any test; more would only be slow. */
const MOST = 32

/** Throws a TypeError that names the option, what is wrong and what is right. */
export function fullOptions(options: StartClusterOptions): FullOptions {
  const { sentinels = 3, groups = ['mymaster'] } = options
  const usual: FullOptions = {
    ...{ groups, sentinels, password: '', directives: {} },
    ...{ replicas: 2, quorum: Math.floor(sentinels / 2) + 1 },
    ...{ downAfterMs: 250, failoverTimeoutMs: 3_000, detection: 'evidence' },
    seed: Math.random().toString(36).slice(2),
  }
  refuseUnknown(options, usual)
  const full: FullOptions = { ...usual, ...definedOf(options) }
  count(full, 'replicas', 0, MOST)
  count(full, 'sentinels', 1, MOST)
  count(full, 'quorum', 1, sentinels)
  count(full, 'downAfterMs', LEAST_DOWN_AFTER_MS, Number.MAX_SAFE_INTEGER)
  count(full, 'failoverTimeoutMs', 1, Number.MAX_SAFE_INTEGER)
  if (!(DETECTIONS as readonly string[]).includes(full.detection)) {
    throw new TypeError(`detection: one of ${DETECTIONS.join(', ')}, not '${full.detection}'`)
  }
  checkGroups(full.groups)
  return full
}

/** An option that is `undefined` was not given. */
function definedOf(options: StartClusterOptions): Partial<FullOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function refuseUnknown(options: StartClusterOptions, known: FullOptions): void {
  const names = Object.keys(known)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`there is no option '${unknown}'; there are ${names.join(', ')}`)
}

function count(
  full: FullOptions,
  name: 'replicas' | 'sentinels' | 'quorum' | 'downAfterMs' | 'failoverTimeoutMs',
  least: number,
  most: number,
): void {
  const value = full[name]
  if (Number.isInteger(value) && value >= least && value <= most) return
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
  throw new TypeError(`${name}: a whole number ${range}, not ${value}`)
}

function checkGroups(groups: readonly string[]): void {
  if (groups.length === 0) throw new TypeError('groups: name at least one')
  for (const name of groups) {
    if (!/^[\w.-]+$/.test(name)) {
      throw new TypeError(`groups: letters, digits, '.', '-' and '_', not '${name}'`)
    }
  }
  if (new Set(groups).size < groups.length) throw new TypeError('groups: name each once')
}
