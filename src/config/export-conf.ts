/**
 * The way back: a sentinel.conf with all that the user's file says and all that was learnt since, in the
 * form redis-sentinel writes itself, so that it goes on where a Sentinel of ours has stopped.
 *
 * Redis 7.0 writes most words of its own file without quotes. What would fall apart then is refused: the
 * first change it saved would be the last one it could read.
 */
import type { GroupConfig, SentinelConfig } from '../core/config.ts'
import { type RestoredGroup, restoreGroups, restoreSettings } from '../core/memory/restore.ts'
import type { SavedState } from '../core/memory/saved.ts'
import { settingsOf } from '../core/memory/settings.ts'
import { ordinaryLines } from './export-ordinary.ts'
import { isPlain, quoted } from './quote.ts'
import type { SentinelFile } from './sentinel-file.ts'

export type ExportedConf =
  /** `text` is a byte string. `notes`: what could not be said, and is not needed. */
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  /** What Redis could not be told, one sentence each. */
  | { readonly ok: false; readonly obstacles: readonly string[] }

/** `saved` is what the state file holds; undefined: nothing was learnt. */
export function exportConf(file: SentinelFile, saved: SavedState | undefined): ExportedConf {
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
    notes: [...notes, ...groups.flatMap((group) => unsaidOf(group.config))],
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
  const { name, host, port, quorum, authUser, authPass } = config
  const { notificationScript, clientReconfigScript, rebootDownAfterMs } = config
  return [
    `monitor ${name} ${host} ${port} ${quorum}`,
    `down-after-milliseconds ${name} ${config.downAfterMs}`,
    `failover-timeout ${name} ${config.failoverTimeoutMs}`,
    `parallel-syncs ${name} ${config.parallelSyncs}`,
    notificationScript === '' ? '' : `notification-script ${name} ${notificationScript}`,
    clientReconfigScript === '' ? '' : `client-reconfig-script ${name} ${clientReconfigScript}`,
    authPass === '' ? '' : `auth-pass ${name} ${authPass}`,
    authUser === '' ? '' : `auth-user ${name} ${authUser}`,
    rebootDownAfterMs === 0 ? '' : `master-reboot-down-after-period ${name} ${rebootDownAfterMs}`,
    ...config.renamedCommands.map(([own, sentAs]) => `rename-command ${name} ${own} ${sentAs}`),
    `config-epoch ${name} ${saved?.configEpoch ?? 0}`,
    `leader-epoch ${name} ${saved?.leaderEpoch ?? 0}`,
    ...others(config, saved).map((one) => `known-replica ${name} ${one.host} ${one.port}`),
    ...(saved?.peers ?? []).map((peer) => {
      return `known-sentinel ${name} ${peer.host} ${peer.port} ${peer.runId}`
    }),
  ]
}

/** Options that redis-sentinel would refuse to start with, where they change what happens. */
function unsaidOf({ name, detection, downAfterMs, grayAfterMs }: GroupConfig): readonly string[] {
  const byEvidence = `${name}: redis-sentinel knows no detection by evidence: a master that died is recognised after ${downAfterMs} ms of silence`
  const gray = `${name}: redis-sentinel knows no gray-after: a master that says PONG and refuses writes stays the master`
  return [...(detection === 'evidence' ? [byEvidence] : []), ...(grayAfterMs > 0 ? [gray] : [])]
}

/** A file that names another master than the one that was learnt may name one of the replicas. */
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
  const of = `of ${config.name}`
  const renamed = config.renamedCommands.flatMap(([own, sentAs]) => [
    ...(own === '' || sentAs === '' ? [`rename-command ${of}: an empty name ${BREAKS}`] : []),
    ...obstacle(`rename-command ${of}`, own),
    ...obstacle(`rename-command ${of}`, sentAs),
  ])
  return [
    ...obstacle(`the name ${of}`, config.name),
    ...obstacle(`auth-user ${of}`, config.authUser),
    ...obstacle(`auth-pass ${of}`, config.authPass),
    ...obstacle(`notification-script ${of}`, config.notificationScript),
    ...obstacle(`client-reconfig-script ${of}`, config.clientReconfigScript),
    ...renamed,
  ]
}

const BREAKS = 'makes a file that Redis 7.0 cannot read again once it has written to it'

/** The value is not shown: it may be a password. */
function obstacle(what: string, value: string): readonly string[] {
  if (value === '' || isPlain(value)) return []
  return [`${what}: a blank, a quote or a control character in it ${BREAKS}`]
}
