/**
 * `INFO vedette`, a section of ours that is shown only by name, so that INFO stays what Redis' tools
 * expect: how each group's master is judged, and what a Sentinel would tell an operator who asks why
 * nothing happens. `vedette status` reads it.
 */
import { hostAndPort } from '../../base/ip.ts'
import type { GroupConfig } from '../config.ts'
import { describeEmptied } from '../empty-master.ts'
import { grayRemark } from '../gray.ts'
import { shownHost } from '../names/names.ts'
import type { Group, Instance, State, Turn } from '../state.ts'
import { instancesOf } from '../state.ts'
import type { Field } from './process-info.ts'

/**
 * `groupN:name=<name>,detection=<ping or evidence>,refused-after=<ms>,gray-after=<ms>` and
 * `remarkN:group=<name>,instance=<kind host:port or nothing>,text=<the rest of the line>`.
 */
export function ownFields(turn: Turn): readonly Field[] {
  const { state } = turn
  const groups = [...state.groups.values()]
  const remarks = groups.flatMap((group) => [
    ...remarksOnGroup(state, group),
    ...[...instancesOf(group)].flatMap((instance) => remarksOnInstance(turn, instance)),
  ])
  return [
    ['vedette', 1],
    ...groups.map(({ config }, index) => [`group${index}`, detectionOf(config)] as const),
    ...remarks.map((remark, index) => [`remark${index}`, remark] as const),
  ]
}

function detectionOf({ name, detection, refusedAfterMs, grayAfterMs }: GroupConfig): string {
  const times = `refused-after=${refusedAfterMs},gray-after=${grayAfterMs}`
  return `name=${name},detection=${detection},${times}`
}

function remarksOnGroup(state: State, { config, obstacle }: Group): readonly string[] {
  const unsaved = 'its state cannot be saved, so it gives no vote and enters no election'
  return [
    ...(state.canSave ? [] : [remark(config.name, '', unsaved)]),
    ...(obstacle === undefined ? [] : [remark(config.name, '', `no failover yet: ${obstacle}`)]),
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
  ]
  const where = hostAndPort(shownHost(turn.state, instance.host), instance.port)
  return texts.map((text) => remark(instance.group.config.name, `${instance.kind} ${where}`, text))
}

function remark(group: string, instance: string, text: string): string {
  return `group=${group},instance=${instance},text=${text.replaceAll(/[\r\n]/g, ' ')}`
}
