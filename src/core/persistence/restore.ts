/**
 * Combines the user's file and the state file at the start. The file says what the operator wants, the
 * state what was learnt since. Each saved value records what the file said at that time: as long as
 * the file still says so, the learnt value stays; if it says something new, the operator has changed
 * it, and the file wins.
 */
import { isSameAddress } from '../../base/ip.ts'
import type { GroupConfig } from '../config.ts'
import { GLOBAL_SETTING_KEYS, type GlobalSettings } from '../global-settings.ts'
import { GROUP_OPTION_KEYS } from '../group-options.ts'
import type { SavedGroup, SavedState } from './saved.ts'

export interface RestoredGroup {
  readonly config: GroupConfig
  readonly file: GroupConfig | undefined
  readonly saved: SavedGroup | undefined
}

/**
 * The groups to monitor: those of the file, in its order, then those added at run time. One of the file that was removed
 * may have been added again since.
 */
export function restoreGroups(
  configured: readonly GroupConfig[],
  saved: SavedState | undefined,
): RestoredGroup[] {
  const memory = new Map(saved?.groups.map((group) => [group.current.name, group]))
  const wanted = configured.filter((file) => !isRemoved(file, saved))
  const fromFile = wanted.map((file) => restoreGroup(file, memory.get(file.name)))
  const names = new Set(wanted.map((file) => file.name))
  const fromRunTime = [...memory.values()]
    .filter((group) => group.file === undefined && !names.has(group.current.name))
    .map((group) => ({ config: group.current, file: undefined, saved: group }))
  return [...fromFile, ...fromRunTime]
}

/** The settings in force: those of the file, except what SENTINEL CONFIG SET has changed since. */
export function restoreSettings(
  file: GlobalSettings,
  saved: SavedState | undefined,
): GlobalSettings {
  if (saved?.settings === undefined) return file
  const { file: before, current } = saved.settings
  return learntValues(GLOBAL_SETTING_KEYS, file, before, current)
}

/** An imported file may contain a configuration of a later epoch than the one it calls current. */
export function highestEpoch(
  saved: Pick<SavedState, 'currentEpoch' | 'groups'> | undefined,
): number {
  const groups = saved?.groups ?? []
  const epochs = groups.flatMap((group) => [group.configEpoch, group.leaderEpoch])
  return Math.max(saved?.currentEpoch ?? 0, ...epochs)
}

/** Groups that stay removed: those in the file that are still as they were when they were removed. */
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
  const addressKept = isSameAddress(file, before)
  const config: GroupConfig = {
    name: file.name,
    host: addressKept ? current.host : file.host,
    port: addressKept ? current.port : file.port,
    ...learntValues(GROUP_OPTION_KEYS, file, before, current),
  }
  return {
    config,
    file,
    saved: isMovedFrom(current, config) ? { ...saved, configEpoch: 0 } : saved,
  }
}

/**
 * Whether the file has another address for the master than was in force. No failover has chosen that one, so it has no
 * config epoch: with the old one it could prevail over the master that all other Sentinels have in that epoch.
 */
export function isMovedFrom(current: GroupConfig, { host, port }: GroupConfig): boolean {
  return host !== current.host || port !== current.port
}

/** For each option the learnt value, or the file's value where the file has changed. */
function learntValues<Values, Key extends keyof Values>(
  keys: readonly Key[],
  file: Values,
  before: Values,
  current: Values,
): Pick<Values, Key> {
  const values = keys.map((key) => [key, isSame(file[key], before[key]) ? current[key] : file[key]])
  return Object.fromEntries(values) as Pick<Values, Key>
}

function isRemoved(file: GroupConfig, saved: SavedState | undefined): boolean {
  return (saved?.removed ?? []).some((removed) => sameGroup(removed, file))
}

function sameGroup(a: GroupConfig, b: GroupConfig): boolean {
  return (Object.keys(a) as (keyof GroupConfig)[]).every((key) => isSame(a[key], b[key]))
}

/** Compares values of a configuration: texts, numbers, flags, and lists of texts. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
