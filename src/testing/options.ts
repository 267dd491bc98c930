/** The options of a cluster: what they are if a test says nothing, and what is wrong with them. */
import { DETECTIONS } from '../core/config.ts'
import type { StartClusterOptions } from './start-options.ts'

/** The same with nothing left open. An empty password: none. */
export type FullOptions = {
  readonly [Option in keyof StartClusterOptions]-?: Exclude<StartClusterOptions[Option], undefined>
}

const LEAST_DOWN_AFTER_MS = 20
/** Enough for any test; more would only be slow. */
const MOST = 32

/** Throws a TypeError that names the option, what is wrong and what is right. */
export function fullOptions(options: StartClusterOptions): FullOptions {
  const { sentinels = 3, groups = ['mymaster'], engine = 'tcp' } = options
  const usual: FullOptions = {
    ...{ groups, sentinels, password: '', directives: {} },
    ...{ replicas: 2, quorum: Math.floor(sentinels / 2) + 1 },
    ...{ failoverTimeoutMs: 3_000, detection: 'evidence' },
    downAfterMs: engine === 'tcp' ? 250 : 1_000,
    clock: 'running',
    engine: 'tcp',
    seed: Math.random().toString(36).slice(2),
  }
  refuseUnknown(options, usual)
  const full: FullOptions = { ...usual, ...definedOf(options) }
  count(full, 'replicas', 0, MOST)
  count(full, 'sentinels', 1, MOST)
  count(full, 'quorum', 1, sentinels)
  count(full, 'downAfterMs', LEAST_DOWN_AFTER_MS, Number.MAX_SAFE_INTEGER)
  count(full, 'failoverTimeoutMs', 1, Number.MAX_SAFE_INTEGER)
  word(full, 'detection', DETECTIONS)
  word(full, 'clock', ['running', 'manual'])
  word(full, 'engine', ['tcp', 'process-lite', 'redis'])
  if (full.engine !== 'tcp' && full.clock === 'manual') {
    throw new TypeError(
      `clock: 'manual' is for engine: 'tcp'; processes live by the machine's clock`,
    )
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

function word(
  full: FullOptions,
  name: 'detection' | 'clock' | 'engine',
  known: readonly string[],
): void {
  if (known.includes(full[name])) return
  throw new TypeError(`${name}: one of ${known.join(', ')}, not '${full[name]}'`)
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
