/**
 * A sentinel.conf while it is read. Directives write into the draft one after another; a directive
 * that cannot returns an objection. At the end the draft becomes a SentinelFile.
 */

import type { Address } from '../base/ip.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_SENTINEL,
  GROUP_AS_IN_REDIS,
  type GroupConfig,
  type SentinelConfig,
} from '../core/config.ts'
import type { SavedGroup, SavedPeer } from '../core/persistence/saved.ts'
import type { ConfOutside } from './config-filesystem.ts'
import { type HttpOptions, NO_HTTP } from './http-options.ts'
import type { Location, Problem } from './problem.ts'
import {
  type BlackBoxOptions,
  DEFAULT_FILE,
  type LearntState,
  type Listen,
  type SentinelFile,
} from './sentinel-file.ts'
import { NO_TLS, type TlsOptions } from './tls-options.ts'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

export interface GroupDraft {
  config: Writable<GroupConfig>
  configEpoch: number
  leaderEpoch: number
  readonly replicas: Address[]
  readonly peers: SavedPeer[]
}

type ProgramOption =
  | 'stateDir'
  | 'stateFile'
  | 'logFile'
  | 'logFormat'
  | 'bindSourceAddr'
  | 'aclFile'
  | 'daemonize'
  | 'pidFile'
  | 'supervised'
  | 'outputLimitBytes'

export interface Draft {
  readonly outside: ConfOutside
  readonly core: Writable<Omit<SentinelConfig, 'groups'>>
  readonly listen: Writable<Listen>
  readonly program: Writable<Pick<SentinelFile, ProgramOption>>
  readonly tls: Writable<TlsOptions>
  readonly http: Writable<HttpOptions>
  readonly blackBox: Writable<BlackBoxOptions>
  readonly groups: Map<string, GroupDraft>
  /** Groups whose `monitor` line is wrong: their other lines are not told as well, because mending that one mends them. */
  readonly refusedGroups: Set<string>
  myid: string | undefined
  currentEpoch: number
  readonly locations: Map<string, Location>
}

/** Why a directive was not accepted, or a notice although it was. */
export type Objection = Pick<Problem, 'severity' | 'code' | 'message' | 'hint'>

export function newDraft(outside: ConfOutside): Draft {
  const { stateDir, logFile, logFormat, bindSourceAddr, aclFile, daemonize, pidFile } = DEFAULT_FILE
  const { listen, supervised, outputLimitBytes } = DEFAULT_FILE
  return {
    outside,
    core: { ...DEFAULT_SENTINEL, defaultDetection: GROUP_AS_IN_REDIS.detection },
    listen: { ...listen },
    program: {
      ...{ stateFile: DEFAULT_FILE.stateFile, stateDir, logFile, logFormat },
      ...{ bindSourceAddr, aclFile, daemonize, pidFile },
      ...{ supervised, outputLimitBytes },
    },
    tls: { ...NO_TLS },
    http: { ...NO_HTTP },
    blackBox: { ...DEFAULT_FILE.blackBox },
    groups: new Map(),
    refusedGroups: new Set(),
    myid: undefined,
    currentEpoch: 0,
    locations: new Map(),
  }
}

export function newGroup(name: string, master: Address, quorum: number): GroupDraft {
  const { host, port } = master
  const config = { name, host, port, quorum, ...DEFAULT_GROUP, ...GROUP_AS_IN_REDIS }
  return { config, configEpoch: 0, leaderEpoch: 0, replicas: [], peers: [] }
}

export function finishDraft(draft: Draft, name: string): SentinelFile {
  const groups = [...draft.groups.values()]
  const { port, protectedMode, logLevel } = draft.core
  const { tls } = draft
  return {
    name,
    core: {
      ...draft.core,
      groups: groups.map((group) => group.config),
      tlsPort: tls.port,
      tlsReplication: tls.replication,
    },
    listen: { ...draft.listen, port, protectedMode },
    ...draft.program,
    logLevel,
    tls,
    http: draft.http,
    blackBox: draft.blackBox,
    webhooks: DEFAULT_FILE.webhooks,
    proxy: DEFAULT_FILE.proxy,
    sentinels: DEFAULT_FILE.sentinels,
    learnt: learntBy(draft),
    locations: draft.locations,
  }
}

/** Undefined for a file that no Sentinel has written to yet. */
function learntBy(draft: Draft): LearntState | undefined {
  const groups = [...draft.groups.values()]
  const hasMemory = draft.myid !== undefined || draft.currentEpoch > 0 || groups.some(hasLearnt)
  if (!hasMemory) return undefined
  const { myid, currentEpoch } = draft
  return { myid, currentEpoch, groups: groups.map(toSavedGroup) }
}

function hasLearnt(group: GroupDraft): boolean {
  const { configEpoch, leaderEpoch, replicas, peers } = group
  return configEpoch > 0 || leaderEpoch > 0 || replicas.length > 0 || peers.length > 0
}

function toSavedGroup(group: GroupDraft): SavedGroup {
  const { config, configEpoch, leaderEpoch, replicas, peers } = group
  // The file does not say which Sentinel got the vote, so no second vote is given in that epoch.
  return { file: config, current: config, configEpoch, leaderEpoch, leader: '', replicas, peers }
}

export function refusal(code: Problem['code'], message: string, hint = ''): Objection {
  return { severity: 'error', code, message, hint }
}

/** For directives that we accept and C Sentinel does not. */
export const EXTENSION: Objection = {
  severity: 'warning',
  code: 'W_EXTENSION',
  message: 'redis-sentinel does not know this and would refuse the file',
  hint: 'vedette export-conf writes one without it',
}

export function notice(message: string, hint = ''): Objection {
  return { severity: 'warning', code: 'W_IGNORED', message, hint }
}
