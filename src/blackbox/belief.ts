/**
 * What a Sentinel believes at a moment, and on what evidence, in lines: how long each instance has
 * been silent, which of them say that the master is down, which votes there are, what it waits for. Read
 * from the state of the machine itself.
 */
import type { Moment } from '../base/clock.ts'
import { addressText, hostAndPort } from '../base/ip.ts'
import { votesNeeded } from '../core/election/quorum.ts'
import type { Group, Instance, Peer, Replica, State } from '../core/state.ts'
import { isSdown, isTilted } from '../core/state.ts'
import type { TimerOwner } from '../core/timers.ts'

export function beliefOf(state: State, now: Moment): readonly string[] {
  const tilt = isTilted(state) ? ', TILT: it does not trust its clocks' : ''
  const save = state.saves.sinceMs === undefined ? '' : ', a save is under way'
  const trouble = state.canSave ? '' : ', it cannot save, so it gives no votes'
  return [
    `Sentinel ${state.myid}, epoch ${state.currentEpoch}${tilt}${save}${trouble}`,
    ...[...state.groups.values()].flatMap((group) => groupLines(group, now)),
  ]
}

function groupLines(group: Group, now: Moment): readonly string[] {
  const { config, configEpoch, leader, leaderEpoch } = group
  const vote =
    leader === '' ? 'no vote yet' : `its vote in epoch ${leaderEpoch} is for ${short(leader)}`
  return [
    '',
    `${config.name}: quorum ${config.quorum}, configuration of epoch ${configEpoch}, ${vote}`,
    ...situation(group, now).map((line) => `  ${line}`),
    `  ${masterLine(group, now)}`,
    ...[...group.replicas.values()].map((one) => `  ${replicaLine(one, now)}`),
    ...[...group.peers.values()].map((one) => `  ${peerLine(one, now)}`),
    ...deadlineLines(group, now).map((line) => `  ${line}`),
  ]
}

function situation(group: Group, now: Moment): readonly string[] {
  const { failover, obstacle, yieldedTo, odownSinceMs, peers } = group
  const agreeing = [...peers.values()].filter(({ masterDown }) => masterDown)
  const down = isSdown(group.master) ? agreeing.length + 1 : agreeing.length
  const lines = []
  if (odownSinceMs !== undefined) lines.push(`O_DOWN for ${ago(now, odownSinceMs)}`)
  if (down > 0)
    lines.push(
      `${down} of ${peers.size + 1} say the master is down, ${group.config.quorum} are needed`,
    )
  if (failover !== undefined) {
    const to =
      failover.promoted === undefined ? '' : `, promoting ${addressText(failover.promoted)}`
    lines.push(
      `it leads a failover (${failover.kind}) in epoch ${failover.epoch}: ${failover.state} for ${ago(now, failover.stateChangedAtMs)}${to}`,
      `votes: ${votesLine(group)}`,
    )
  }
  if (yieldedTo !== undefined)
    lines.push(
      `it leaves the failover to ${short(yieldedTo.leader)}, for ${ago(now, yieldedTo.atMs)}`,
    )
  if (obstacle !== undefined) lines.push(`no failover by itself: ${obstacle}`)
  if (group.notBeforeMs > now.monoMs)
    lines.push(`no failover of its own for another ${group.notBeforeMs - now.monoMs} ms`)
  return lines
}

function votesLine(group: Group): string {
  const votes = [...group.peers.values()].flatMap(({ vote, runId }) =>
    vote === undefined ? [] : [`${short(runId)} for ${short(vote.leader)} in epoch ${vote.epoch}`],
  )
  const needed = votesNeeded(group)
  return `${votes.length === 0 ? 'none of the others yet' : votes.join(', ')}; ${needed} are needed`
}

function masterLine(group: Group, now: Moment): string {
  const { master } = group
  const gray =
    master.gray === undefined ? '' : `, refuses writes for ${ago(now, master.gray.sinceMs)}`
  const emptied = master.emptiedAtMs === undefined ? '' : ', has lost its data, say its replicas'
  return `master  ${instanceWords(master, now)}, says it is ${master.roleReported}${gray}${emptied}`
}

function replicaLine(replica: Replica, now: Moment): string {
  const priority = `priority ${replica.priority}, offset ${replica.offset}`
  return `replica ${instanceWords(replica, now)}, ${followed(replica)}, ${priority}${reconf(replica)}`
}

function followed({ masterHost, masterPort, masterLinkUp }: Replica): string {
  // As SENTINEL REPLICAS shows it before the first INFO.
  if (masterHost === '?') return 'has named no master'
  return `${masterLinkUp ? 'follows' : 'has lost'} ${hostAndPort(masterHost, masterPort)}`
}

function reconf({ reconf: state }: Replica): string {
  return state === 'none' ? '' : `, told to follow the new master (${state})`
}

function peerLine(peer: Peer, now: Moment): string {
  const opinion =
    peer.opinionAtMs === undefined
      ? 'has given no opinion'
      : `said ${ago(now, peer.opinionAtMs)} ago that the master is ${peer.masterDown ? 'down' : 'up'}`
  const vote =
    peer.vote === undefined ? '' : `, votes for ${short(peer.vote.leader)} (${peer.vote.epoch})`
  return `peer    ${short(peer.runId)} ${instanceWords(peer, now)}, ${opinion}${vote}`
}

function instanceWords(instance: Instance, now: Moment): string {
  const { link, sdownSinceMs } = instance
  const down = sdownSinceMs === undefined ? '' : `S_DOWN for ${ago(now, sdownSinceMs)}, `
  const isUp = link.command?.up === true
  const pending = link.pingPendingSinceMs
  const owed = pending === undefined ? '' : `, owes an answer for ${ago(now, pending)}`
  const well = link.wasOk ? `last well ${ago(now, link.lastOkAtMs)} ago` : 'never well so far'
  return `${addressText(instance)} ${down}${isUp ? 'connected' : 'not connected'}, ${well}${owed}`
}

function deadlineLines(group: Group, now: Moment): readonly string[] {
  const owners: readonly (readonly [string, TimerOwner])[] = [
    ['group', group],
    ['master', group.master],
    ['link to the master', group.master.link],
  ]
  const all = owners.flatMap(([who, { deadlines }]) =>
    [...deadlines].map(([name, { atMs }]) => ({ atMs, text: `${who}: ${name}` })),
  )
  all.sort((one, other) => one.atMs - other.atMs)
  return all.map(({ atMs, text }) => `due in ${atMs - now.monoMs} ms: ${text}`)
}

function ago(now: Moment, atMs: number): string {
  const ms = now.monoMs - atMs
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

function short(runId: string): string {
  return runId.slice(0, 8)
}
