/**
 * What a Sentinel would tell an operator who asks why nothing happens: `INFO vedette`, a section of ours
 * that is shown only by name, so that INFO stays what Redis' tools expect. `vedette status` reads it.
 */
import { hostAndPort } from '../../base/ip.ts'
import { shownHost } from '../names/names.ts'
import type { Group, Instance, State, Turn } from '../state.ts'
import { instancesOf } from '../state.ts'
import type { Field } from './process-info.ts'

/** `remarkN:group=<name>,instance=<kind host:port or nothing>,text=<the rest of the line>`. */
export function remarkFields({ state }: Turn): readonly Field[] {
  const groups = [...state.groups.values()]
  const remarks = groups.flatMap((group) => [
    ...remarksOnGroup(state, group),
    ...[...instancesOf(group)].flatMap((instance) => remarksOnInstance(state, instance)),
  ])
  return [['vedette', 1], ...remarks.map((remark, index) => [`remark${index}`, remark] as const)]
}

function remarksOnGroup(state: State, { config, obstacle }: Group): readonly string[] {
  const unsaved = 'its state cannot be saved, so it gives no vote and enters no election'
  return [
    ...(state.canSave ? [] : [remark(config.name, '', unsaved)]),
    ...(obstacle === undefined ? [] : [remark(config.name, '', `no failover yet: ${obstacle}`)]),
  ]
}

function remarksOnInstance(state: State, instance: Instance): readonly string[] {
  const { refusal } = instance.link
  if (refusal === undefined) return []
  const where = hostAndPort(shownHost(state, instance.host), instance.port)
  return [remark(instance.group.config.name, `${instance.kind} ${where}`, refusal)]
}

function remark(group: string, instance: string, text: string): string {
  return `group=${group},instance=${instance},text=${text.replaceAll(/[\r\n]/g, ' ')}`
}
