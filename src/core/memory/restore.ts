/**
 * Putting the user's file and the state file together at the start. The file says what the operator
 * wants, the state what was learnt since. Each saved value carries what the file said at that time: as
 * long as the file still says so, the learnt value stands; where it says something new, the operator
 * has changed his mind, and the file wins.
 */
import type { GlobalSettings, GroupConfig } from '../config.ts'
import type { SavedGroup, SavedState } from './saved.ts'

export interface RestoredGroup {
  readonly config: GroupConfig
  readonly file: GroupConfig | undefined
  readonly saved: SavedGroup | undefined
}

/** The groups to monitor: those of the file, in its order, then those added at run time. */
export function restoreGroups(
  configured: readonly GroupConfig[],
  saved: SavedState | undefined,
): RestoredGroup[] {
  const memory = new Map(saved?.groups.map((group) => [group.current.name, group]))
  const fromFile = configured
    .filter((file) => !isRemoved(file, saved))
    .map((file) => restoreGroup(file, memory.get(file.name)))
  const names = new Set(configured.map((file) => file.name))
  const fromRunTime = [...memory.values()]
    .filter((group) => group.file === undefined && !names.has(group.current.name))
    .map((group) => ({ config: group.current, file: undefined, saved: group }))
  return [...fromFile, ...fromRunTime]
}

/** The settings in force: those of the file, but for what SENTINEL CONFIG SET changed since. */
export function restoreSettings(
  file: GlobalSettings,
  saved: SavedState | undefined,
): GlobalSettings {
  if (saved?.settings === undefined) return file
  const { file: before, current } = saved.settings
  return {
    announceIp: learnt(file, before, current, 'announceIp'),
    announcePort: learnt(file, before, current, 'announcePort'),
    resolveHostnames: learnt(file, before, current, 'resolveHostnames'),
    announceHostnames: learnt(file, before, current, 'announceHostnames'),
    sentinelUser: learnt(file, before, current, 'sentinelUser'),
    sentinelPass: learnt(file, before, current, 'sentinelPass'),
    logLevel: learnt(file, before, current, 'logLevel'),
  }
}

/** Groups that stay removed: those the file still has as it had them when they were removed. */
export function stillRemoved(
  configured: readonly GroupConfig[],
  saved: SavedState | undefined,
): GroupConfig[] {
  return configured.filter((file) => isRemoved(file, saved))
}

function restoreGroup(file: GroupConfig, saved: SavedGroup | undefined): RestoredGroup {
  if (saved === undefined) return { config: file, file, saved }
  const { file: before, current } = saved
  if (before === undefined) return { config: current, file, saved }
  const addressKept = file.host === before.host && file.port === before.port
  const config: GroupConfig = {
    name: file.name,
    host: addressKept ? current.host : file.host,
    port: addressKept ? current.port : file.port,
    quorum: learnt(file, before, current, 'quorum'),
    downAfterMs: learnt(file, before, current, 'downAfterMs'),
    failoverTimeoutMs: learnt(file, before, current, 'failoverTimeoutMs'),
    parallelSyncs: learnt(file, before, current, 'parallelSyncs'),
    authUser: learnt(file, before, current, 'authUser'),
    authPass: learnt(file, before, current, 'authPass'),
    notificationScript: learnt(file, before, current, 'notificationScript'),
    clientReconfigScript: learnt(file, before, current, 'clientReconfigScript'),
    renamedCommands: learnt(file, before, current, 'renamedCommands'),
    rebootDownAfterMs: learnt(file, before, current, 'rebootDownAfterMs'),
    detection: learnt(file, before, current, 'detection'),
    refusedAfterMs: learnt(file, before, current, 'refusedAfterMs'),
    grayAfterMs: learnt(file, before, current, 'grayAfterMs'),
  }
  return { config, file, saved }
}

function learnt<Values, Key extends keyof Values>(
  file: Values,
  before: Values,
  current: Values,
  key: Key,
): Values[Key] {
  return isSame(file[key], before[key]) ? current[key] : file[key]
}

function isRemoved(file: GroupConfig, saved: SavedState | undefined): boolean {
  return (saved?.removed ?? []).some((removed) => sameGroup(removed, file))
}

function sameGroup(a: GroupConfig, b: GroupConfig): boolean {
  return (Object.keys(a) as (keyof GroupConfig)[]).every((key) => isSame(a[key], b[key]))
}

/** Values of a configuration: texts, numbers, flags, and lists of texts. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
