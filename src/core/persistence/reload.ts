/**
 * The configuration file, read again while everything runs (SIGHUP). The rules are those of a restart: new
 * values in the file take effect, and where it says the same as before, what was learnt since stays. What
 * cannot change while the process lives, such as the port, is ignored here.
 */
import { hostAndPort } from '../../base/ip.ts'
import { reloadUsers } from '../access/access-start.ts'
import type { GroupConfig, SentinelConfig } from '../config.ts'
import { registerReplica } from '../discovery/replicas.ts'
import { announce } from '../events.ts'
import { forgetDataInstances } from '../failover/switch.ts'
import { GLOBAL_SETTING_ROWS, type GlobalSetting, type GlobalSettings } from '../global-settings.ts'
import { GROUP_OPTION_ROWS } from '../group-options.ts'
import { addGroup, reconfigureGroup, removeGroup } from '../groups.ts'
import { createMaster, watch } from '../instances.ts'
import { dropPeerLinks } from '../links/links.ts'
import type { Group, Turn } from '../state.ts'
import { log } from '../turn.ts'
import {
  isMovedFrom,
  type RestoredGroup,
  restoreGroups,
  restoreSettings,
  stillRemoved,
} from './restore.ts'
import { save, savedState } from './save.ts'
import type { SavedState } from './saved.ts'
import { changeSettings, settingsOf } from './settings.ts'

/** `before` is what the file said until now. */
export function onReloaded(turn: Turn, config: SentinelConfig, before: SentinelConfig): void {
  const known = savedState(turn.state)
  reloadSettings(turn, config, known)
  reloadRules(turn, config, before)
  reloadUsers(turn, config)
  reloadGroups(turn, config.groups, known)
  save(turn)
}

function reloadSettings(turn: Turn, config: SentinelConfig, known: SavedState): void {
  const file = settingsOf(config)
  const old = settingsOf(turn.state.config)
  const settings = restoreSettings(file, known)
  turn.state.fileSettings = file
  changeSettings(turn, settings)
  for (const text of changedSettings(old, settings)) tell(turn, text)
}

/**
 * Settings that only a file can set. SENTINEL DEBUG changes periods until the file has new values for
 * them.
 */
function reloadRules(turn: Turn, config: SentinelConfig, before: SentinelConfig): void {
  const { maxClients, denyScriptsReconfig, protectedMode, requirepass, users, periods } = config
  const { state } = turn
  const hasNewPeriods = JSON.stringify(periods) !== JSON.stringify(before.periods)
  state.config = {
    ...state.config,
    ...{ maxClients, denyScriptsReconfig, protectedMode, requirepass, users },
    periods: hasNewPeriods ? periods : state.config.periods,
  }
  // Without a sentinel-pass, peers get it at the beginning of a connection.
  if (requirepass !== before.requirepass) dropPeerLinks(turn)
  for (const text of changedRules(config, before)) tell(turn, text)
}

function changedRules(config: SentinelConfig, before: SentinelConfig): readonly string[] {
  const differs = (...keys: readonly (keyof SentinelConfig)[]) =>
    keys.some((key) => JSON.stringify(config[key]) !== JSON.stringify(before[key]))
  return [
    differs('maxClients') ? `maxclients is ${config.maxClients}` : '',
    differs('denyScriptsReconfig') ? 'deny-scripts-reconfig has changed' : '',
    differs('protectedMode') ? 'protected-mode has changed' : '',
    differs('requirepass', 'users') ? 'users and passwords of this port have changed' : '',
    differs('periods') ? 'periods have changed' : '',
  ].filter((text) => text !== '')
}

function reloadGroups(turn: Turn, files: readonly GroupConfig[], known: SavedState): void {
  const { state } = turn
  const wanted = restoreGroups(files, known)
  const names = new Set(wanted.map(({ config }) => config.name))
  for (const group of [...state.groups.values()]) {
    if (names.has(group.config.name)) continue
    removeGroup(turn, group)
    tell(turn, `${group.config.name} is not in the file any more: no longer monitored`)
  }
  state.removed.splice(0, state.removed.length, ...stillRemoved(files, known))
  for (const group of wanted) putGroup(turn, group)
}

function putGroup(turn: Turn, { config, file, saved }: RestoredGroup): void {
  const group = turn.state.groups.get(config.name)
  if (group === undefined) {
    addGroup(turn, config, file)
    return tell(turn, `${config.name} is new: monitored from now on`)
  }
  group.file = file
  const current = saved?.current ?? group.config
  for (const text of changedOptions(current, config)) tell(turn, `${config.name}: ${text}`)
  if (isMovedFrom(current, config)) moveGroup(turn, group, config)
  else
    reconfigureGroup(turn, group, { ...config, host: group.config.host, port: group.config.port })
}

/** Starts again at the address in the file. Replicas, peers, votes and the current epoch are known already. */
function moveGroup(turn: Turn, group: Group, config: GroupConfig): void {
  announce(turn, '-monitor', group.master)
  const others = [...group.replicas.values()].filter(
    (one) => one.host !== config.host || one.port !== config.port,
  )
  forgetDataInstances(turn, group)
  group.config = config
  group.configEpoch = 0
  group.master = createMaster(group, turn.now.monoMs)
  watch(turn, group.master)
  announce(turn, '+monitor', group.master, { quorum: config.quorum })
  for (const { host, port } of others) registerReplica(turn, group, { host, port })
}

function tell(turn: Turn, text: string): void {
  log(turn, 'notice', `reload: ${text}`)
}

// What a reload has changed, for the log: old and new values, but for secrets.

function changedOptions(before: GroupConfig, after: GroupConfig): readonly string[] {
  const address = ({ host, port }: GroupConfig) => hostAndPort(host, port)
  const moved =
    address(before) === address(after)
      ? []
      : [`the master is at ${address(after)}, as long as no Sentinel knows of a failover`]
  const changed = GROUP_OPTION_ROWS.flatMap(([key, row]) => {
    // Anyone who knows the new name of a command can use it, so it is kept like a password.
    const shown = row.kind === 'renames' ? { ...row, isSecret: true as const } : row
    return changeOf(shown, before[key], after[key])
  })
  return [...moved, ...changed]
}

function changedSettings(before: GlobalSettings, after: GlobalSettings): readonly string[] {
  return GLOBAL_SETTING_ROWS.flatMap(([key, row]) => changeOf(row, before[key], after[key]))
}

function changeOf(
  { name, isSecret }: Pick<GlobalSetting, 'name' | 'isSecret'>,
  before: unknown,
  after: unknown,
): readonly string[] {
  const [old, now] = [before, after].map((value) => JSON.stringify(value))
  if (old === now) return []
  return [isSecret ? `${name} has changed` : `${name} was ${old}, is ${now}`]
}
