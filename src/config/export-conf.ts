/**
 * The way back: a sentinel.conf with everything the user's file says and everything learnt since,
 * in the form that redis-sentinel writes itself, so that redis-sentinel can go on where our
 * Sentinel stopped.
 *
 * Redis 7.0 writes most words of its own file without quotes. A word that would fall apart then is
 * refused: otherwise the first change that redis-sentinel saved would leave a file that it cannot
 * read.
 */

import { isPlain, quoted } from '../base/quote.ts'
import { utf8Text } from '../base/utf8.ts'
import type { GroupConfig, SentinelConfig } from '../core/config.ts'
import type { GroupOption } from '../core/group-option-kinds.ts'
import {
  GROUP_OPTION_ROWS,
  type GroupOptionKey,
  hasOptionValue,
  isOwnOption,
  OWN_OPTION_ROWS,
  valueInRedis,
} from '../core/group-options.ts'
import { type RestoredGroup, restoreGroups, restoreSettings } from '../core/persistence/restore.ts'
import type { SavedState } from '../core/persistence/saved.ts'
import { settingsOf } from '../core/persistence/settings.ts'
import { ordinaryLines } from './export-ordinary.ts'
import type { SentinelFile } from './sentinel-file.ts'

export type ExportedConf =
  /** `text` is a byte string. `notes`: what the file cannot say, and need not say. */
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  /** What Redis cannot be told, one sentence each. */
  | { readonly ok: false; readonly obstacles: readonly string[] }

/** `saved` is the content of the state file; undefined: nothing was learnt. `nowMs` is the wall clock. */
export function exportConf(
  file: SentinelFile,
  saved: SavedState | undefined,
  nowMs: number,
): ExportedConf {
  const memory = saved ?? learntMemory(file)
  const config: SentinelConfig = {
    ...file.core,
    ...restoreSettings(settingsOf(file.core), memory),
  }
  const groups = restoreGroups(file.core.groups, memory)
  const obstacles = [
    ...obstaclesIn(config),
    ...groups.flatMap((group) => obstaclesOf(group.config)),
  ]
  if (obstacles.length > 0) return { ok: false, obstacles }
  const { lines, notes } = ordinaryLines(file, config, memory?.users?.current)
  const all = [HEADER, ...lines, ...sentinelLines(config, groups, memory), '']
  return {
    ok: true,
    text: all.join('\n'),
    notes: [
      ...notes,
      ...groups.flatMap((group) => [...unsaidOf(group.config), ...pauseOf(group, nowMs)]),
    ],
  }
}

const HEADER = '# Written by vedette export-conf for redis-sentinel.'

function learntMemory({ learnt }: SentinelFile): SavedState | undefined {
  if (learnt === undefined) return undefined
  const { myid = '', currentEpoch, groups } = learnt
  return { myid, currentEpoch, groups, removed: [], settings: undefined, users: undefined }
}

function sentinelLines(
  config: SentinelConfig,
  groups: readonly RestoredGroup[],
  memory: SavedState | undefined,
): readonly string[] {
  const { denyScriptsReconfig, resolveHostnames, announceHostnames } = config
  const { announceIp, announcePort, sentinelUser, sentinelPass } = config
  const epochs = groups.map(({ saved }) => saved?.configEpoch ?? 0)
  return [
    memory === undefined || memory.myid === '' ? '' : `myid ${memory.myid}`,
    denyScriptsReconfig ? '' : 'deny-scripts-reconfig no',
    resolveHostnames ? 'resolve-hostnames yes' : '',
    announceHostnames ? 'announce-hostnames yes' : '',
    ...groups.flatMap(groupLines),
    `current-epoch ${Math.max(memory?.currentEpoch ?? 0, ...epochs)}`,
    announceIp === '' ? '' : `announce-ip ${quoted(announceIp)}`,
    announcePort === 0 ? '' : `announce-port ${announcePort}`,
    sentinelUser === '' ? '' : `sentinel-user ${sentinelUser}`,
    sentinelPass === '' ? '' : `sentinel-pass ${sentinelPass}`,
  ].flatMap(toLine)
}

function groupLines({ config, saved }: RestoredGroup): readonly string[] {
  const { name, host, port, quorum } = config
  return [
    `monitor ${name} ${host} ${port} ${quorum}`,
    ...IN_REDIS_ORDER.flatMap(([key, row]) => {
      return valuesOf(row, config[key]).map((value) => `${row.name} ${name} ${value}`)
    }),
    `config-epoch ${name} ${saved?.configEpoch ?? 0}`,
    `leader-epoch ${name} ${saved?.leaderEpoch ?? 0}`,
    ...others(config, saved).map((one) => `known-replica ${name} ${one.host} ${one.port}`),
    ...(saved?.peers ?? []).map((peer) => {
      return `known-sentinel ${name} ${peer.host} ${peer.port} ${peer.runId}`
    }),
  ]
}

/** The options with a line of their own in a sentinel.conf. */
const IN_REDIS_ORDER = GROUP_OPTION_ROWS.filter(
  ([, row]) => !isOwnOption(row) && !row.isInMonitor,
).sort(([, a], [, b]) => Number(a.redisPlace) - Number(b.redisPlace))

/** One value for each line; a 0 is left out where it means none. */
function valuesOf(row: GroupOption, value: GroupConfig[GroupOptionKey]): readonly unknown[] {
  if (typeof value === 'object') return value.map((one) => [one].flat().join(' '))
  return value === '' || (row.kind === 'duration' && value === 0) ? [] : [value]
}

/** Options that change the behaviour and with which redis-sentinel would refuse to start. */
function unsaidOf(config: GroupConfig): readonly string[] {
  return OWN_OPTION_ROWS.flatMap(([key, row]) => {
    if (row.redisLacks === undefined || hasOptionValue(config[key], valueInRedis(row))) return []
    const { what, instead } = row.redisLacks
    return [`${config.name}: redis-sentinel knows no ${what}: ${instead(config)}`]
  })
}

/** A pause is an order and no option: it lives in the state file of our Sentinels alone. */
function pauseOf({ config, saved }: RestoredGroup, nowMs: number): readonly string[] {
  if (saved?.pause?.kind !== 'pause') return []
  const { reason, by, endsAtWallMs } = saved.pause
  const leftSeconds = Math.ceil((endsAtWallMs - nowMs) / 1_000)
  if (leftSeconds <= 0) return []
  const why = reason === '' ? '' : ` (${utf8Text(reason)})`
  const paused = `${by} has paused failovers for another ${leftSeconds} s${why}`
  return [`${config.name}: redis-sentinel knows no pause: ${paused}, and it will not wait for that`]
}

/** A file that names another master than the learnt one may name one of the replicas. */
function others({ host, port }: GroupConfig, saved: RestoredGroup['saved']) {
  return (saved?.replicas ?? []).filter((one) => one.host !== host || one.port !== port)
}

function toLine(words: string): readonly string[] {
  return words === '' ? [] : [`sentinel ${words}`]
}

function obstaclesIn({ sentinelUser, sentinelPass }: SentinelConfig): readonly string[] {
  return [...obstacle('sentinel-user', sentinelUser), ...obstacle('sentinel-pass', sentinelPass)]
}

function obstaclesOf(config: GroupConfig): readonly string[] {
  const found = GROUP_OPTION_ROWS.flatMap(([key, row]) => {
    if (isOwnOption(row)) return []
    const what = `${row.name} of ${config.name}`
    const value = config[key]
    if (typeof value !== 'object') return obstacle(what, String(value))
    return value.flatMap(([own = '', sentAs = '']) => [
      ...(own === '' || sentAs === '' ? [`${what}: an empty name ${BREAKS}`] : []),
      ...obstacle(what, own),
      ...obstacle(what, sentAs),
    ])
  })
  return [...obstacle(`the name of ${config.name}`, config.name), ...found]
}

const BREAKS = 'makes a file that Redis 7.0 cannot read again once it has written to it'

/** The value is not shown: it may be a password. */
function obstacle(what: string, value: string): readonly string[] {
  if (value === '' || isPlain(value)) return []
  return [`${what}: a blank, a quote or a control character in it ${BREAKS}`]
}
