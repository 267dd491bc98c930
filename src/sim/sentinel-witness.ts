/**
 * Watches one Sentinel from outside and tells what can be known of it: its events, whom it names as
 * master, and what of its epochs and votes has left the process. A promise counts from the moment
 * others can hear it, hence effects are looked at when they are done and not when they are decided.
 */
import type { Effect } from '../core/effect.ts'
import type { Event } from '../core/event.ts'
import { parseHello } from '../core/hello-text.ts'
import { currentMaster, type Group, type State } from '../core/state.ts'
import type { Reply } from '../resp/reply.ts'
import type { Address, Electorate, Occurrence } from './happening.ts'
import { Silences } from './silences.ts'

export type Tell = (occurrence: Occurrence) => void

export class SentinelWitness {
  readonly #tell: Tell
  /** What was told last, by what it is about, so that only changes are told. */
  readonly #told = new Map<string, string>()
  /** Whom each group was last told to have as master: looked at after every step. */
  readonly #views = new Map<string, Address>()
  readonly #silences = new Silences()

  constructor(tell: Tell) {
    this.#tell = tell
  }

  /** The process has come up again: it may not know what it knew. */
  forget(): void {
    this.#told.clear()
    this.#views.clear()
    this.#silences.forget()
  }

  /** The process has begun to live, at this monotonic time of its own. */
  born(nowMs: number): void {
    this.#silences.born(nowMs)
  }

  /** An event is about to be dealt with. Without it nobody knows how long a master was silent. */
  heard(state: State, event: Event, nowMs: number): void {
    this.#silences.heard(state, event, nowMs)
  }

  /** An effect is being done. */
  done(state: State, effect: Effect): void {
    if (effect.kind === 'log') this.#logged(state, effect)
    else if (effect.kind === 'send') this.#sent(state, effect)
    else if (effect.kind === 'respond') this.#responded(state, effect.reply)
  }

  /** A batch, or the part of it before a save, has been done. */
  stepped(state: State): void {
    for (const group of state.groups.values()) {
      const { host, port } = currentMaster(group)
      const { name } = group.config
      const told = this.#views.get(name)
      if (told?.host === host && told.port === port) continue
      const master = { host, port }
      this.#views.set(name, master)
      this.#tell({ kind: 'view', group: name, master })
    }
  }

  #logged(state: State, effect: Effect & { kind: 'log' }): void {
    const event = /^([+-][a-z-]+)(?: (.*))?$/s.exec(effect.text)
    // What looks like an event at debug level goes to the log only.
    if (event === null || effect.level === 'debug') {
      this.#tell({ kind: 'log', level: effect.level, text: effect.text })
      return
    }
    const name = event[1] ?? ''
    const payload = event[2] ?? ''
    const silentMs = name === '+sdown' ? this.#silences.before(payload) : undefined
    this.#tell({ kind: 'event', name, payload, ...(silentMs === undefined ? {} : { silentMs }) })
    const group = state.groups.get(groupIn(payload))
    if (group === undefined) return
    if (name === '+elected-leader') this.#elected(state, group)
    else if (name === '+try-failover') this.#stood(state, group)
    else if (name === '+selected-slave') this.#selected(group)
  }

  #stood({ myid }: State, group: Group): void {
    const { failover, master } = group
    const { name } = group.config
    if (failover === undefined) return
    const { epoch, kind } = failover
    if (!this.#isNews(`candidacy ${name}`, `${epoch}`)) return
    const address = { host: master.host, port: master.port }
    const electorate = electorateOf(group)
    const who = { sentinelId: myid, group: name, epoch, forced: kind === 'forced' }
    const isPlanned = kind !== 'automatic'
    this.#tell({ kind: 'candidacy', ...who, isPlanned, master: address, electorate })
  }

  #selected({ config: { name }, failover, replicas }: Group): void {
    const chosen = failover?.promoted
    if (chosen === undefined) return
    if (!this.#isNews(`selection ${name}`, `${failover?.epoch}`)) return
    const known = [...replicas.values()].map(({ host, port }) => ({ host, port }))
    const address = { host: chosen.host, port: chosen.port }
    // How the nodes really stand is for those to add who can look into them.
    this.#tell({ kind: 'selection', group: name, chosen: address, known, standings: [] })
  }

  #elected({ myid }: State, group: Group): void {
    const { failover, config } = group
    if (failover === undefined || failover.kind === 'forced' || failover.state === 'wait_start') {
      return
    }
    const { epoch } = failover
    if (!this.#isNews(`leader ${config.name}`, `${epoch}`)) return
    const electorate = electorateOf(group)
    this.#tell({ kind: 'leader', sentinelId: myid, group: config.name, epoch, electorate })
  }

  #sent(state: State, effect: Effect & { kind: 'send' }): void {
    if (effect.purpose.kind === 'hello') this.#greeted(effect.argv.at(-1) ?? '')
    // Asking for a vote tells the one we gave ourselves.
    if (effect.purpose.kind !== 'ask' || effect.purpose.epoch === 0) return
    this.#voted(state, effect.purpose.epoch, effect.argv.at(-1) ?? '')
  }

  #greeted(payload: string): void {
    const hello = parseHello(payload)
    if (hello === undefined) return
    const { group, configEpoch, runId, masterHost, masterPort, currentEpoch } = hello
    const text = `${runId} ${currentEpoch} ${configEpoch} ${masterHost}:${masterPort}`
    if (!this.#isNews(`hello ${group}`, text)) return
    const master = { host: masterHost, port: masterPort }
    this.#tell({ kind: 'hello', sentinelId: runId, group, configEpoch, master, currentEpoch })
  }

  /** An answer to IS-MASTER-DOWN-BY-ADDR carries a vote when it names a leader. */
  #responded(state: State, reply: Reply): void {
    if (reply.kind !== 'array' || reply.items.length !== 3) return
    const [down, leader, epoch] = reply.items
    if (down?.kind !== 'integer' || leader?.kind !== 'bulk' || epoch?.kind !== 'integer') return
    if (leader.bytes === '*') return
    this.#voted(state, Number(epoch.value), leader.bytes)
  }

  #voted(state: State, epoch: number, leader: string): void {
    for (const { config } of votedIn(state, leader, epoch)) {
      const group = config.name
      if (!this.#isNews(`vote ${group}`, `${epoch} ${leader}`)) continue
      this.#tell({ kind: 'vote', sentinelId: state.myid, group, epoch, leader })
    }
  }

  #isNews(about: string, text: string): boolean {
    if (this.#told.get(about) === text) return false
    this.#told.set(about, text)
    return true
  }
}

/** Question and answer name no group: the vote they tell may be that of any in which it stands. */
function votedIn(state: State, leader: string, epoch: number): readonly Group[] {
  return [...state.groups.values()].filter(
    (group) => group.leader === leader && group.leaderEpoch === epoch,
  )
}

/** Counted here and not asked of the machine, whose arithmetic is what is to be checked. */
function electorateOf({ peers, config }: Group): Electorate {
  return { known: peers.size + 1, quorum: config.quorum }
}

/**
 * The group an event of a failover is about. The state is ahead of the events: when several groups fail
 * over in one turn it shows all of their failovers before any but the first has been told.
 */
function groupIn(payload: string): string {
  return / @ (\S+) /.exec(payload)?.[1] ?? payload.split(' ')[1] ?? ''
}
