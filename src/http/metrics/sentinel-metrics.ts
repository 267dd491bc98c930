/**
 * The metrics of a Sentinel, collected in slices. A thousand groups have tens of thousands of samples, and
 * writing them takes tens of milliseconds; in one go, every PING that is due meanwhile would be late, and every
 * answer would seem slow. So the caller asks for one slice after the other, and lets the machine work in
 * between. A slice takes whole groups: what is said of one group is of one moment.
 */
import type { Moment } from '../../base/clock.ts'
import { quorumVerdict } from '../../core/election/quorum.ts'
import { EVENT_NAMES } from '../../core/event-table.ts'
import { FAILOVER_PARTS, FAILOVER_PHASES } from '../../core/report/event-tally.ts'
import { infoFields, masterStatusOf } from '../../core/report/server-info.ts'
import { tallyOf } from '../../core/report/tally.ts'
import { type Group, type Instance, instancesOf, type State, type Turn } from '../../core/state.ts'
import { KnownFacts } from '../replication-facts.ts'
import {
  addRows,
  Exposition,
  inSeconds,
  type LabelPair,
  labelText,
  type SampleTaker,
} from './exposition.ts'
import { counter, gauge, histogram, type MetricFamily } from './family.ts'
import { addInfoMetrics, SENTINEL_INFO_METRICS } from './info-metrics.ts'
import { KeptSamples } from './kept-samples.ts'
import { type GroupLabels, type InstanceLabels, LabelCache } from './label-cache.ts'
import { addProcessMetrics, PROCESS_FAMILIES, type ProcessReading } from './process-metrics.ts'
import { type ReplicationView, replicationView } from './replication-view.ts'
import {
  DATA_NODE_ROWS,
  EXPORTER_GROUP_LABELS,
  EXPORTER_GROUP_ROWS,
  GROUP_LABELS,
  GROUP_ROWS,
  INSTANCE_ROWS,
  type InstanceView,
  PEER_ROWS,
  REPLICA_ROWS,
  SENTINEL_ROWS,
  type WatchedGroup,
} from './sentinel-families.ts'

/** Some 200 µs if most have changed. */
const SLICE_SAMPLES = 250
/** Groups whose samples are kept together: with fewer there are more pieces, with more a change costs more. */
const BLOCK_GROUPS = 8

const STATUS = gauge('redis_sentinel_master_status', {
  labels: [...EXPORTER_GROUP_LABELS, 'master_status'],
  help: 'Whether this Sentinel sees the master as ok; the label has ok, sdown or odown.',
  unit: 'yes or no',
})
const VERDICT = gauge('redis_sentinel_master_ckquorum_status', {
  labels: ['master_name', 'message'],
  help: 'A failover could be agreed on and authorized now; the label has the answer of CKQUORUM.',
  unit: 'yes or no',
})
const INFO = gauge('redis_instance_info', {
  labels: ['role', 'redis_version', 'redis_mode', 'os', 'tcp_port', 'run_id', 'process_id'],
  help: 'Always 1; the labels describe the process.',
})
const EVENTS = counter('vedette_events_total', {
  labels: ['event'],
  help: 'How often each event was published; docs/events.md describes the events.',
})
const PHASES = histogram('vedette_failover_phase_seconds', {
  labels: ['part', 'phase'],
  unit: 'seconds',
  help: 'How long each phase of a failover took, from the end of the phase before it.',
})
const WHOLE = histogram('vedette_failover_seconds', {
  labels: ['part'],
  unit: 'seconds',
  help: 'From the first missing answer of the master until this Sentinel named the new master.',
})
const LAST_PHASE = gauge('vedette_last_failover_phase_seconds', {
  labels: [...GROUP_LABELS, 'part', 'phase'],
  unit: 'seconds',
  help: 'How long each phase of the last failover of the group took.',
})
const LAST_SWITCH = gauge('vedette_last_switch_timestamp_seconds', {
  labels: GROUP_LABELS,
  unit: 'seconds',
  help: 'When the master of the group last changed; no sample if it has not changed since the start.',
})
const SAVES = histogram('vedette_state_save_seconds', {
  unit: 'seconds',
  help: 'From the request to save the state file until it is on disk; votes wait for it.',
})
const FAILED_SAVES = counter('vedette_state_save_failures_total', {
  help: 'Saves of the state file that failed.',
})

/** Everything a Sentinel may show, in the order in which it is shown. */
export const SENTINEL_FAMILIES: readonly MetricFamily[] = [
  ...PROCESS_FAMILIES,
  INFO,
  ...SENTINEL_INFO_METRICS.map(({ family }) => family),
  STATUS,
  ...EXPORTER_GROUP_ROWS.map(({ family }) => family),
  VERDICT,
  ...SENTINEL_ROWS.map(({ family }) => family),
  EVENTS,
  SAVES,
  FAILED_SAVES,
  PHASES,
  WHOLE,
  LAST_PHASE,
  LAST_SWITCH,
  ...GROUP_ROWS.map(({ family }) => family),
  ...INSTANCE_ROWS.map(({ family }) => family),
  ...DATA_NODE_ROWS.map(({ family }) => family),
  ...REPLICA_ROWS.map(({ family }) => family),
  ...PEER_ROWS.map(({ family }) => family),
]

/** The metrics of one Sentinel. */
export class SentinelMetrics {
  readonly #state: State
  readonly #kept: Kept = { labels: new LabelCache(), facts: new KnownFacts(), blocks: [] }

  constructor(state: State) {
    this.#state = state
  }

  /** Begins a scrape, once the one before it is over: everything but the groups is in it already. */
  scrape(now: Moment, reading: ProcessReading): SentinelScrape {
    const page = new Exposition(SENTINEL_FAMILIES)
    addProcessMetrics(page, reading)
    addSentinel(page, this.#state, now, reading)
    return new SentinelScrape(this.#state, page, this.#kept)
  }
}

/** What is kept from one scrape to the next. */
interface Kept {
  readonly labels: LabelCache
  readonly facts: KnownFacts
  readonly blocks: KeptSamples[]
}

class SentinelScrape {
  readonly #state: State
  readonly #page: Exposition
  readonly #kept: Kept
  readonly #waiting: Group[]
  #at = 0
  /** How many groups the block at `#at` has so far. */
  #inBlock = 0

  constructor(state: State, page: Exposition, kept: Kept) {
    this.#state = state
    this.#page = page
    this.#kept = kept
    this.#waiting = [...state.groups.values()].reverse()
    this.#block().begin()
  }

  /** Adds some groups. False once all are there. */
  slice(now: Moment): boolean {
    let added = 0
    while (added < SLICE_SAMPLES) {
      const group = this.#waiting.pop()
      if (group === undefined) return this.#end()
      // It may have been removed since the last slice.
      if (this.#state.groups.get(group.config.name) !== group) continue
      const block = this.#roomyBlock()
      const before = block.count
      addGroup(block, { state: this.#state, now, effects: [] }, group, this.#kept)
      added += block.count - before
      this.#inBlock++
    }
    return true
  }

  /** The document, in pieces. */
  pieces(): readonly string[] {
    return this.#page.pieces()
  }

  #roomyBlock(): KeptSamples {
    if (this.#inBlock === BLOCK_GROUPS) {
      this.#block().finish(this.#page)
      this.#at++
      this.#inBlock = 0
      this.#block().begin()
    }
    return this.#block()
  }

  #block(): KeptSamples {
    const { blocks } = this.#kept
    const known = blocks[this.#at]
    if (known !== undefined) return known
    const block = new KeptSamples()
    blocks[this.#at] = block
    return block
  }

  #end(): false {
    this.#block().finish(this.#page)
    this.#kept.blocks.length = this.#at + 1
    return false
  }
}

function addGroup(page: SampleTaker, turn: Turn, group: Group, { labels, facts }: Kept): void {
  const { state, now } = turn
  const view = { state, now, group, tally: tallyOf(state.stats.tally, group) }
  const own = labels.ofGroup(state, group)
  addExporterGroup(page, view, own)
  addRows(page, GROUP_ROWS, own.own, view)
  addLastFailover(page, view, own)
  const seen = new Set<string>()
  const replication = replicationView(group.master, facts.of(group.master))
  for (const instance of instancesOf(group)) {
    const its = labels.ofInstance(state, instance, own.master)
    // Prometheus refuses two samples with the same labels, and two records may name one address.
    if (seen.has(its.all)) continue
    seen.add(its.all)
    addInstance(page, { now, instance, replication }, its)
  }
}

function addSentinel(page: Exposition, state: State, now: Moment, reading: ProcessReading): void {
  const fields = infoFields({ state, now, effects: [] })
  addInfoMetrics(page, SENTINEL_INFO_METRICS, fields)
  page.add(INFO, labelText(INFO.labels.map((name) => [name, fields.get(name) ?? ''])), 1)
  addRows(page, SENTINEL_ROWS, '', state)
  const { announced, phases, whole } = state.stats.tally
  for (const event of EVENT_NAMES) {
    page.add(EVENTS, labelText([['event', event]]), announced.get(event) ?? 0)
  }
  page.addHistogram(SAVES, [], reading.meters.saves)
  page.add(FAILED_SAVES, '', reading.meters.failedSaves)
  for (const part of FAILOVER_PARTS) {
    page.addHistogram(WHOLE, [['part', part]], whole[part])
    for (const phase of FAILOVER_PHASES) {
      const labels: readonly LabelPair[] = [
        ['part', part],
        ['phase', phase],
      ]
      page.addHistogram(PHASES, labels, phases[part][phase])
    }
  }
}

function addExporterGroup(page: SampleTaker, view: WatchedGroup, labels: GroupLabels): void {
  const { state, group } = view
  const status = masterStatusOf(group)
  page.add(STATUS, labels.status.with(status), status === 'ok')
  addRows(page, EXPORTER_GROUP_ROWS, labels.exporter, view)
  const { isReachable, text } = quorumVerdict(state, group)
  page.add(VERDICT, labels.verdict.with(text), isReachable)
}

/** Absent until there was a failover: a thousand quiet groups need no samples for that. */
function addLastFailover(page: SampleTaker, { tally }: WatchedGroup, labels: GroupLabels): void {
  const { last } = tally
  if (last === undefined) return
  page.add(LAST_SWITCH, labels.own, last.wallMs / 1000)
  for (const [phase, lastedMs] of last.durationsMs) {
    const all: readonly LabelPair[] = [labels.master, ['part', last.part], ['phase', phase]]
    page.add(LAST_PHASE, labelText(all), inSeconds(lastedMs))
  }
}

interface WatchedView extends InstanceView<Instance> {
  readonly replication: ReplicationView
}

function addInstance(page: SampleTaker, view: WatchedView, { all, brief }: InstanceLabels): void {
  const { now, instance, replication } = view
  addRows(page, INSTANCE_ROWS, all, view)
  if (instance.kind === 'sentinel') {
    addRows(page, PEER_ROWS, brief, { now, instance })
    return
  }
  addRows(page, DATA_NODE_ROWS, all, { now, instance, replication })
  if (instance.kind === 'replica')
    addRows(page, REPLICA_ROWS, brief, { now, instance, replication })
}
