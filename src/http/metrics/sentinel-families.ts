/**
 * What a Sentinel shows of itself, of each group and of each instance. A row is a family and the way to its
 * value; the labels of a table are those of all its rows. So the number of samples is bounded by what the
 * Sentinel watches, and an instance that is forgotten is gone from the next scrape on.
 */
import type { Moment } from '../../base/clock.ts'
import { usableSentinels, votesNeeded } from '../../core/election/quorum.ts'
import type { EventName } from '../../core/event-table.ts'
import { promotableReplicas } from '../../core/failover/selection.ts'
import { type VoterReport, voterReport, votesNow } from '../../core/failover/voter-report.ts'
import { GROUP_OPTIONS } from '../../core/group-options.ts'
import { isPaused } from '../../core/pause/pause.ts'
import type { GroupTally } from '../../core/report/event-tally.ts'
import {
  commandLink,
  type Group,
  type Instance,
  isOdown,
  isSdown,
  type Master,
  type Peer,
  type Replica,
  type State,
} from '../../core/state.ts'
import { inSeconds } from './exposition.ts'
import { counter, gauge, type MetricRow, type MetricUnit } from './family.ts'
import type { ReplicationView } from './replication-view.ts'

/** Samples without labels. */
export const SENTINEL_ROWS: readonly MetricRow<State>[] = [
  {
    family: gauge('vedette_current_epoch', {
      unit: 'epoch',
      help: 'The highest epoch that this Sentinel has seen.',
    }),
    read: ({ currentEpoch }) => currentEpoch,
  },
  {
    family: counter('vedette_epochs_refused_total', {
      help: 'Epochs from other Sentinels that were refused because they were too far ahead.',
    }),
    read: ({ epochs }) => epochs.refused,
  },
  {
    family: counter('vedette_tilt_entered_total', {
      help: 'How often this Sentinel entered TILT, in which it decides nothing.',
    }),
    read: ({ tilt }) => tilt.total,
  },
  countOf(
    'vedette_votes_given_total',
    '+vote-for-leader',
    'Votes given, votes for itself included.',
  ),
  countOf(
    'vedette_elections_started_total',
    '+try-failover',
    'Failovers that this Sentinel began, by asking for votes or on an order.',
  ),
  countOf(
    'vedette_elections_won_total',
    '+elected-leader',
    'Failovers that this Sentinel was elected to lead.',
  ),
  countOf(
    'vedette_elections_lost_total',
    '-failover-abort-not-elected',
    'Failovers that this Sentinel gave up because it was not elected.',
  ),
  {
    family: gauge('vedette_state_saved', {
      unit: 'yes or no',
      help: 'The last save of the state file succeeded; if not, this Sentinel gives no vote.',
    }),
    read: ({ canSave }) => canSave,
  },
]

function countOf(name: string, event: EventName, help: string): MetricRow<State> {
  return {
    family: counter(name, { help }),
    read: ({ stats }) => stats.tally.announced.get(event) ?? 0,
  }
}

/** A group at the moment of the scrape. */
export interface WatchedGroup {
  readonly state: State
  readonly now: Moment
  readonly group: Group
  readonly tally: GroupTally
}

/** redis_exporter's; `master_address` is the configured one until a switch is complete. */
export const EXPORTER_GROUP_LABELS = ['master_name', 'master_address'] as const

/** By the name of their metric. */
const SETTINGS = {
  quorum: 'ckquorum',
  failoverTimeoutMs: 'failover_timeout',
  parallelSyncs: 'parallel_syncs',
  downAfterMs: 'down_after_milliseconds',
} as const

export const EXPORTER_GROUP_ROWS: readonly MetricRow<WatchedGroup>[] = [
  exporterRow('slaves', 'Known replicas.', ({ group }) => group.replicas.size),
  exporterRow('ok_slaves', 'Replicas that are announced and not S_DOWN.', ({ group }) => {
    return [...group.replicas.values()].filter((one) => one.announced && !isSdown(one)).length
  }),
  exporterRow('sentinels', 'Known Sentinels, this one included.', ({ group }) => {
    return group.peers.size + 1
  }),
  exporterRow(
    'ok_sentinels',
    'Known Sentinels that are not S_DOWN, this one included.',
    ({ group }) => {
      return 1 + [...group.peers.values()].filter((peer) => !isSdown(peer)).length
    },
  ),
  ...settingRows(),
  exporterRow(
    'config_epoch',
    'The epoch of the failover that made the current configuration.',
    ({ group }) => group.configEpoch,
    'epoch',
  ),
  exporterRow(
    'last_ok_ping_reply_seconds',
    'Time since the master last gave a valid answer to PING.',
    ({ group, now }) => ageSeconds(now, group.master.link.lastOkAtMs),
    'seconds',
  ),
]

function exporterRow(
  name: string,
  help: string,
  read: MetricRow<WatchedGroup>['read'],
  unit: MetricUnit = '',
): MetricRow<WatchedGroup> {
  const labels = EXPORTER_GROUP_LABELS
  return { family: gauge(`redis_sentinel_master_${name}`, { help, unit, labels }), read }
}

function settingRows(): readonly MetricRow<WatchedGroup>[] {
  const rows = Object.entries(SETTINGS) as [keyof typeof SETTINGS, string][]
  return rows.map(([key, name]) => {
    const unit = GROUP_OPTIONS[key].kind === 'duration' ? 'milliseconds' : ''
    const help = `The option ${GROUP_OPTIONS[key].name}.`
    return exporterRow(`setting_${name}`, help, ({ group }) => group.config[key], unit)
  })
}

export const GROUP_LABELS = ['master_name'] as const

/** Ours. */
export const GROUP_ROWS: readonly MetricRow<WatchedGroup>[] = [
  groupRow('odown', 'The master is O_DOWN: a quorum holds it down.', 'yes or no', ({ group }) =>
    isOdown(group),
  ),
  groupRow('failover_in_progress', 'This Sentinel leads a failover.', 'yes or no', ({ group }) => {
    return group.failover !== undefined
  }),
  groupRow(
    'usable_sentinels',
    'Sentinels that count as voters and are not S_DOWN.',
    '',
    ({ group }) => usableSentinels(group),
  ),
  groupRow('votes_needed', 'Votes that a leader needs.', '', ({ group }) => votesNeeded(group)),
  groupRow(
    'vote_epoch',
    "The epoch of this Sentinel's last vote.",
    'epoch',
    ({ group }) => group.leaderEpoch,
  ),
  groupRow('promotable_replicas', 'Replicas that could be promoted now.', '', (view) => {
    const { state, now, group } = view
    return promotableReplicas({ state, now, effects: [] }, group).length
  }),
  groupRow(
    'paused',
    'An operator has paused automatic failover of the group.',
    'yes or no',
    ({ group }) => isPaused(group),
  ),
  groupRow('pause_left_seconds', 'Time until the pause ends.', 'seconds', ({ group, now }) => {
    const { untilMs } = group.pause
    return untilMs === undefined ? 0 : inSeconds(Math.max(0, untilMs - now.monoMs))
  }),
  groupRow(
    'master_refuses_writes',
    'The master answers PING and refuses writes (+gray-master).',
    'yes or no',
    ({ group }) => group.master.gray !== undefined,
  ),
  groupRow(
    'master_emptied',
    'Replicas say that the master came back without its data (+empty-master).',
    'yes or no',
    ({ group }) => group.master.emptiedAtMs !== undefined,
  ),
  voterRow('voters', 'Voters of a strict group.', '', ({ voters }) => voters.length),
  voterRow(
    'voters_with_vote',
    'Voters of a strict group that are in reach and may vote.',
    '',
    votesNow,
  ),
  voterRow(
    'voters_needed',
    'Voters that a strict group needs for writes and failovers.',
    '',
    ({ writeQuorum, fencesNeeded }) => Math.max(writeQuorum, fencesNeeded),
  ),
  voterRow(
    'writes_stalled_seconds',
    'How long writes have waited for voters without progress, by the last INFO of the master.',
    'seconds',
    ({ stalledMs }) => inSeconds(stalledMs),
  ),
  tallyRow(
    'switches_total',
    'Changes of the master that this Sentinel announced to its clients.',
    ({ switches }) => switches,
  ),
  tallyRow(
    'failovers_led_total',
    'Changes of the master that this Sentinel led itself.',
    ({ led }) => led,
  ),
  tallyRow(
    'failovers_given_up_total',
    'Failovers that this Sentinel gave up.',
    ({ givenUp }) => givenUp,
  ),
  tallyRow(
    'false_alarms_total',
    'How often the master was S_DOWN and answered again without a failover.',
    ({ falseAlarms }) => falseAlarms,
  ),
]

function groupRow(
  name: string,
  help: string,
  unit: MetricUnit,
  read: MetricRow<WatchedGroup>['read'],
): MetricRow<WatchedGroup> {
  return { family: gauge(`vedette_group_${name}`, { help, unit, labels: GROUP_LABELS }), read }
}

/** No sample where replication is asynchronous. */
function voterRow(
  name: string,
  help: string,
  unit: MetricUnit,
  read: (report: VoterReport) => number,
): MetricRow<WatchedGroup> {
  return groupRow(name, help, unit, ({ state, group }) => {
    const report = voterReport(state, group)
    return report && read(report)
  })
}

function tallyRow(
  name: string,
  help: string,
  read: (tally: GroupTally) => number,
): MetricRow<WatchedGroup> {
  const family = counter(`vedette_group_${name}`, { help, labels: GROUP_LABELS })
  return { family, read: ({ tally }) => read(tally) }
}

/** An instance at the moment of the scrape. */
export interface InstanceView<Kind extends Instance> {
  readonly now: Moment
  readonly instance: Kind
}

const INSTANCE_LABELS = ['master_name', 'role', 'address'] as const

export const INSTANCE_ROWS: readonly MetricRow<InstanceView<Instance>>[] = [
  {
    family: instanceGauge('up', 'The instance is not S_DOWN for this Sentinel.', 'yes or no'),
    read: ({ instance }) => !isSdown(instance),
  },
  {
    family: instanceGauge('connected', 'The connection for commands is up.', 'yes or no'),
    read: ({ instance }) => commandLink(instance) !== undefined,
  },
  {
    family: instanceGauge(
      'ping_round_trip_seconds',
      'Smoothed round trip of PING, measured to the millisecond.',
      'seconds',
    ),
    read: ({ instance: { link } }) =>
      link.roundTrips === undefined ? undefined : inSeconds(link.roundTrips.averageMs),
  },
]

export const DATA_NODE_ROWS: readonly MetricRow<
  InstanceView<Master | Replica> & { readonly replication: ReplicationView }
>[] = [
  {
    family: instanceGauge(
      'info_age_seconds',
      'Age of the last INFO, the source of the other figures of this instance.',
      'seconds',
    ),
    read: ({ now, instance: { infoAtMs } }) =>
      infoAtMs === undefined ? undefined : ageSeconds(now, infoAtMs),
  },
  {
    family: instanceGauge(
      'replication_offset_bytes',
      'The replication offset that the instance reports.',
      'bytes',
    ),
    read: ({ instance, replication }) => {
      if (instance.infoAtMs === undefined) return undefined
      return instance.kind === 'replica' ? instance.offset : replication.masterOffset
    },
  },
]

function instanceGauge(name: string, help: string, unit: MetricUnit) {
  return gauge(`vedette_instance_${name}`, { help, unit, labels: INSTANCE_LABELS })
}

const REPLICA_LABELS = ['master_name', 'address'] as const

export const REPLICA_ROWS: readonly MetricRow<
  InstanceView<Replica> & { readonly replication: ReplicationView }
>[] = [
  {
    family: replicaGauge(
      'lag_bytes',
      'Bytes that the replica had not acknowledged at the last INFO of its master.',
      'bytes',
    ),
    read: ({ instance, replication }) => replication.lagBytes(instance),
  },
  {
    family: replicaGauge(
      'link_up',
      'The replica reports that its link to its master is up.',
      'yes or no',
    ),
    read: ({ instance: { infoAtMs, masterLinkUp } }) =>
      infoAtMs === undefined ? undefined : masterLinkUp,
  },
  {
    family: replicaGauge(
      'priority',
      'The replica-priority; a replica with 0 is never promoted.',
      '',
    ),
    read: ({ instance: { infoAtMs, priority } }) => (infoAtMs === undefined ? undefined : priority),
  },
]

function replicaGauge(name: string, help: string, unit: MetricUnit) {
  return gauge(`vedette_replica_${name}`, { help, unit, labels: REPLICA_LABELS })
}

const PEER_LABELS = ['master_name', 'address'] as const

export const PEER_ROWS: readonly MetricRow<InstanceView<Peer>>[] = [
  {
    family: peerGauge('hello_age_seconds', 'Time since the last hello of the peer.', 'seconds'),
    read: ({ now, instance }) => ageSeconds(now, instance.helloReceivedAtMs),
  },
  {
    family: peerGauge(
      'sees_master_down',
      'The peer has said that it sees the master down.',
      'yes or no',
    ),
    read: ({ instance }) => instance.masterDown,
  },
]

function peerGauge(name: string, help: string, unit: MetricUnit) {
  return gauge(`vedette_peer_${name}`, { help, unit, labels: PEER_LABELS })
}

function ageSeconds(now: Moment, thenMs: number): number {
  return inSeconds(Math.max(0, now.monoMs - thenMs))
}
