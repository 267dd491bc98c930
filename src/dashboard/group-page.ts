/** The sections that tell one group. Each is drawn from the document; none has a state of its own. */
import type { ClusterDocument } from '../http/cluster-document.ts'
import { byId, type Child, element, renew, say } from './dom.ts'
import { addressOf, bytes, SIGN, verdictOn } from './sentences.ts'
import { nodeTable, sentinelTable } from './tables.ts'
import type { ShownGroup } from './views.ts'

export function drawGroup(cluster: ClusterDocument, group: ShownGroup): void {
  drawVerdict(cluster, group)
  renew(byId('facts'), ...facts(cluster, group))
  renew(byId('nodes'), nodeTable(group))
  renew(byId('sentinels'), sentinelTable(group))
  renew(byId('next'), ...next(group))
}

function drawVerdict(cluster: ClusterDocument, group: ShownGroup): void {
  const { mood, title, story } = verdictOn(group, cluster.tilt)
  const heading = byId('verdict')
  // A screen reader would read it again at every refresh if it were set again.
  say(heading, `${SIGN[mood]} ${title}`)
  heading.className = mood
  say(byId('story'), story)
}

function facts(cluster: ClusterDocument, group: ShownGroup): HTMLElement[] {
  const { reachability, quorum, configEpoch } = group
  const offset = group.nodes.find(({ role }) => role === 'master')?.offset ?? null
  const all: readonly (readonly [string, string])[] = [
    ['master', addressOf(group.master)],
    ['Sentinels in reach', `${reachability.usable} of ${reachability.known}`],
    ['needed to agree (quorum)', String(quorum)],
    ['config epoch', String(configEpoch)],
    ['current epoch', String(cluster.epoch)],
    ['master offset', offset === null ? '–' : bytes(offset)],
  ]
  return all.map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, ...breakable(value))),
  )
}

/** A long address is broken before its port. */
function breakable(value: string): readonly Child[] {
  const [host, port] = value.split(/(?=:\d+$)/)
  return port === undefined ? [value] : [host, element('wbr'), port]
}

function next({ ifMasterDied: prospect, obstacle }: ShownGroup): HTMLElement[] {
  const others = prospect.others.map((one) => element('li', {}, `${addressOf(one)}: ${one.reason}`))
  return [
    element('p', {}, `${prospect.text} ${leaderOf(prospect)}`.trim()),
    ...(obstacle === null ? [] : [element('p', { class: 'bad' }, `✗ In the way now: ${obstacle}`)]),
    ...(others.length === 0 ? [] : [element('ul', { class: 'reasons' }, ...others)]),
  ]
}

/** Where nothing would be done although a leader could be elected, the text says why, and it is not for want of one. */
function leaderOf({ leader, promoted }: ShownGroup['ifMasterDied']): string {
  if (leader === null) return 'No Sentinel could be elected.'
  return promoted === null ? '' : `Sentinel ${leader.slice(0, 12)} would stand first.`
}
