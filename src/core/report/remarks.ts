/**
 * `INFO vedette`, a section of ours that is shown only by name, so that INFO stays what Redis'
 * tools expect: how each group's master is judged, and what a Sentinel would tell an operator who
 * asks why nothing happens. `vedette status` reads it.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { GroupConfig } from '../config.ts'
import { describeEmptied } from '../detection/empty-master.ts'
import { grayRemark } from '../detection/gray-master.ts'
import { cloneTexts } from '../discovery/clones.ts'
import { isUsedUp } from '../election/epoch.ts'
import { CURE } from '../election/new-epoch.ts'
import { electorsOf } from '../election/quorum.ts'
import { groupItBelongsTo } from '../failover/foreign.ts'
import { voterRemarks, voterReport } from '../failover/voter-report.ts'
import { GROUP_OPTIONS, isHidden, JUDGING_OPTION_ROWS, optionText } from '../group-options.ts'
import { whyOutOfReach } from '../links/links.ts'
import { shownHost } from '../names/names.ts'
import { unknownMembers } from '../names/told-address.ts'
import { holdersOf, isPaused } from '../pause/pause.ts'
import { pauseLeftMs } from '../pause/pause-record.ts'
import type { Group, Instance, Replica, State, Turn } from '../state.ts'
import { instancesOf, isSdown } from '../state.ts'
import type { Field } from './process-info.ts'

/** For how long a refused epoch is worth a remark. */
const REFUSAL_SHOWN_MS = 600_000

/**
 * `epochs:current=<n>,refused=<n>,frozen=<0 or 1>`, `groupN:name=<name>,detection=<ping or evidence>,refused-after=<ms>,gray-after=<ms>` and
 * `remarkN:group=<name>,instance=<kind host:port or nothing>,text=<the rest of the line>`;
 * `unreachedN:` in the same form, for each instance that is down and has no connection, with the reason; while a pause lasts,
 * `pauseN:group=<name>,left-ms=<ms>,number=<n>,held-by=<Sentinels>,by=<user@host>,reason=<the rest of the line>`.
 */
export function ownFields(turn: Turn): readonly Field[] {
  const { state } = turn
  const groups = [...state.groups.values()]
  const remarks = groups.flatMap((group) => [
    ...remarksOnGroup(turn, group),
    ...[...instancesOf(group)].flatMap((instance) => remarksOnInstance(turn, instance)),
  ])
  return [
    ['vedette', 1],
    ['vedette_version', state.process?.version ?? ''],
    ['epochs', epochField(state)],
    ...groups.map(({ config }, index) => [`group${index}`, ownOptionsOf(config)] as const),
    ...groups
      .filter(isPaused)
      .map((group, index) => [`pause${index}`, pauseLine(turn, group)] as const),
    ...remarks.map((remark, index) => [`remark${index}`, remark] as const),
    ...groups
      .flatMap((group) => [...instancesOf(group)].flatMap((one) => unreachedLine(turn, one)))
      .map((line, index) => [`unreached${index}`, line] as const),
  ]
}

function ownOptionsOf(config: GroupConfig): string {
  const shown = JUDGING_OPTION_ROWS.filter(([key, row]) => !isHidden(row, config[key]))
  const options = shown.map(([key, { name }]) => `${name}=${optionText(config[key])}`)
  return [`name=${config.name}`, ...options].join(',')
}

function pauseLine({ now }: Turn, group: Group): string {
  const { number, by, reason } = group.pause
  const leftMs = Math.ceil(pauseLeftMs(group.pause, now.monoMs))
  const held = holdersOf(group, electorsOf(group))
  const facts = `left-ms=${leftMs},number=${number},held-by=${held},by=${by}`
  return `group=${group.config.name},${facts},reason=${reason}`
}

function remarksOnGroup(turn: Turn, group: Group): readonly string[] {
  const { state } = turn
  const { config, obstacle } = group
  const unsaved = `its state cannot be saved, so ${NO_VOTE} and enters no election`
  return [
    ...(state.canSave ? [] : [remark(config.name, '', unsaved)]),
    ...cloneTexts(turn).map((text) => remark(config.name, '', text)),
    ...unprovenRemark(group),
    ...strangerRemark(turn, group),
    ...epochRemarks(turn).map((text) => remark(config.name, '', text)),
    ...voterTexts(turn, group).map((text) => remark(config.name, '', text)),
    ...(obstacle === undefined ? [] : [remark(config.name, '', `no failover yet: ${obstacle}`)]),
  ]
}

/** None before the master has said anything: it may just have been met. */
function voterTexts({ state }: Turn, group: Group): readonly string[] {
  const report = group.master.infoAtMs === undefined ? undefined : voterReport(state, group)
  return report === undefined ? [] : voterRemarks(report)
}

/**
 * The peer is real and cannot be reached, or it is made up. A peer that has just been discovered
 * gets no remark.
 */
function unprovenRemark({ config, peers }: Group): readonly string[] {
  const silent = [...peers.values()].filter((peer) => !peer.isProven && isSdown(peer))
  const [first] = silent
  if (first === undefined) return []
  const where = hostAndPort(first.host, first.port)
  const text = `${silent.length} of the Sentinels we hear of have never answered us (${where})`
  return [remark(config.name, '', text)]
}

/** In the table of what clients from elsewhere are told: a slip of the pen, or a member that is not there yet. */
function strangerRemark({ state }: Turn, group: Group): readonly string[] {
  const strangers = unknownMembers(state, group)
  if (strangers.length === 0) return []
  const { name } = GROUP_OPTIONS.clientAddresses
  return [remark(group.config.name, '', `${name} names no member: ${strangers.join(' ')}`)]
}

/** Part of each remark for which a Sentinel neither votes nor stands; `vedette explain` looks for it. */
export const NO_VOTE = 'it gives no vote'

/** How many epochs were refused since the start, and what the current one is. */
function epochField({ currentEpoch, epochs, renumbering }: State): string {
  const isFrozen = renumbering === undefined ? 0 : 1
  return `current=${currentEpoch},refused=${epochs.refused},frozen=${isFrozen}`
}

function epochRemarks({ state, now }: Turn): readonly string[] {
  const { renumbering, currentEpoch, epochs } = state
  const { lastRefusal } = epochs
  const isRecent = lastRefusal !== undefined && now.monoMs - lastRefusal.atMs < REFUSAL_SHOWN_MS
  return [
    ...(renumbering === undefined ? [] : [`its epochs are frozen, ${NO_VOTE}; ${CURE}`]),
    ...(isUsedUp(currentEpoch) ? [`no epoch is left for a failover, ${NO_VOTE}; ${CURE}`] : []),
    ...(isRecent ? [`${lastRefusal.text}; ${CURE}`] : []),
  ]
}

function remarksOnInstance(turn: Turn, instance: Instance): readonly string[] {
  const { refusal } = instance.link
  const isGray = instance.kind === 'master' && instance.gray !== undefined
  const isEmptied = instance.kind === 'master' && instance.emptiedAtMs !== undefined
  const texts = [
    ...(refusal === undefined ? [] : [refusal]),
    ...(isGray ? [grayRemark(turn, instance)] : []),
    ...(isEmptied ? [describeEmptied(turn, instance)] : []),
    ...(instance.kind === 'replica' ? foreignRemark(turn.state, instance) : []),
  ]
  return texts.map((text) => remarkOn(turn, instance, text))
}

function foreignRemark(state: State, replica: Replica): readonly string[] {
  const other = groupItBelongsTo(state, replica)
  if (other === undefined) return []
  const cure = `SENTINEL RESET ${replica.group.config.name} forgets it here`
  return [`is the master of ${other.config.name} and left alone; ${cure}`]
}

/** No remark, which would be a finding of its own: that the instance is down stands in its flags. */
function unreachedLine(turn: Turn, instance: Instance): readonly string[] {
  const reason = whyOutOfReach(instance)
  return reason === undefined ? [] : [remarkOn(turn, instance, reason)]
}

function remarkOn(turn: Turn, instance: Instance, text: string): string {
  const where = hostAndPort(shownHost(turn.state, instance.host), instance.port)
  return remark(instance.group.config.name, `${instance.kind} ${where}`, text)
}

function remark(group: string, instance: string, text: string): string {
  return `group=${group},instance=${instance},text=${text.replaceAll(/[\r\n]/g, ' ')}`
}
