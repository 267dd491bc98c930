/** What a reload has changed, for the log: old and new values, but for secrets. */
import type { GlobalSettings, GroupConfig } from '../config.ts'

const OPTIONS: readonly (readonly [key: keyof GroupConfig, name: string])[] = [
  ['quorum', 'quorum'],
  ['downAfterMs', 'down-after-milliseconds'],
  ['failoverTimeoutMs', 'failover-timeout'],
  ['parallelSyncs', 'parallel-syncs'],
  ['authUser', 'auth-user'],
  ['authPass', 'auth-pass'],
  ['notificationScript', 'notification-script'],
  ['clientReconfigScript', 'client-reconfig-script'],
  ['renamedCommands', 'rename-command'],
  ['rebootDownAfterMs', 'master-reboot-down-after-period'],
  ['detection', 'detection'],
  ['refusedAfterMs', 'refused-after'],
  ['grayAfterMs', 'gray-after'],
]

const SETTINGS: readonly (readonly [key: keyof GlobalSettings, name: string])[] = [
  ['announceIp', 'announce-ip'],
  ['announcePort', 'announce-port'],
  ['resolveHostnames', 'resolve-hostnames'],
  ['announceHostnames', 'announce-hostnames'],
  ['sentinelUser', 'sentinel-user'],
  ['sentinelPass', 'sentinel-pass'],
  ['logLevel', 'loglevel'],
]

const SECRETS: readonly string[] = ['auth-pass', 'sentinel-pass', 'rename-command']

export function changedOptions(before: GroupConfig, after: GroupConfig): readonly string[] {
  const address = (config: GroupConfig) => `${config.host}:${config.port}`
  const moved = address(before) === address(after) ? [] : [`the master is at ${address(after)}`]
  return [...moved, ...OPTIONS.flatMap(([key, name]) => changeOf(name, before[key], after[key]))]
}

export function changedSettings(before: GlobalSettings, after: GlobalSettings): readonly string[] {
  return SETTINGS.flatMap(([key, name]) => changeOf(name, before[key], after[key]))
}

function changeOf(name: string, before: unknown, after: unknown): readonly string[] {
  const [old, now] = [before, after].map((value) => JSON.stringify(value))
  if (old === now) return []
  return [SECRETS.includes(name) ? `${name} has changed` : `${name} was ${old}, is ${now}`]
}
