/**
 * Watches one Sentinel from outside and tells what can be known of it: its events, whom it names as
 * master, and what of its epochs and votes has left the process. A promise counts from the moment
 * others can hear it, hence effects are looked at when they are done and not when they are decided.
 */
import type { Effect } from '../core/effect.ts'
import { parseHello } from '../core/hello-text.ts'
import { currentMaster, type Group, type State } from '../core/state.ts'
import type { Reply } from '../resp/reply.ts'
import type { Electorate, Occurrence } from './happening.ts'

export type Tell = (occurrence: Occurrence) => void

export class SentinelWitness {
  readonly #tell: Tell
  /** What was told last, by what it is about, so that only changes are told. */
  readonly #told = new Map<string, string>()

  constructor(tell: Tell) {
    this.#tell = tell
  }

  /** The process has come up again: it may not know what it knew. */
  forget(): void {
    this.#told.clear()
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
      if (!this.#isNews(`view ${name}`, `${host}:${port}`)) continue
      this.#tell({ kind: 'view', group: name, master: { host, port } })
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
    this.#tell({ kind: 'event', name, payload: event[2] ?? '' })
    if (name === '+elected-leader') this.#elected(state)
    else if (name === '+try-failover') this.#stood(state)
    else if (name === '+selected-slave') this.#selected(state)
  }

  #stood(state: State): void {
    for (const group of state.groups.values()) {
      const { failover, master, config } = group
      if (failover === undefined) continue
      const { epoch, forced } = failover
      if (!this.#isNews(`candidacy ${config.name}`, `${epoch}`)) continue
      this.#tell({
        kind: 'candidacy',
        sentinelId: state.myid,
        group: config.name,
        epoch,
        forced,
        master: { host: master.host, port: master.port },
        electorate: electorateOf(group),
      })
    }
  }

  #selected(state: State): void {
    for (const { config, failover, replicas } of state.groups.values()) {
      const chosen = failover?.promoted
      if (chosen === undefined) continue
      if (!this.#isNews(`selection ${config.name}`, `${failover?.epoch}`)) continue
      const known = [...replicas.values()].map(({ host, port }) => ({ host, port }))
      const address = { host: chosen.host, port: chosen.port }
      // How the nodes really stand is for those to add who can look into them.
      const { name } = config
      this.#tell({ kind: 'selection', group: name, chosen: address, known, standings: [] })
    }
  }

  #elected(state: State): void {
    for (const group of state.groups.values()) {
      const { failover } = group
      if (failover === undefined || failover.forced || failover.state === 'wait_start') continue
      const epoch = failover.epoch
      if (!this.#isNews(`leader ${group.config.name}`, `${epoch}`)) continue
      const electorate = electorateOf(group)
      const { name } = group.config
      this.#tell({ kind: 'leader', sentinelId: state.myid, group: name, epoch, electorate })
    }
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
    const group = votedIn(state, leader, epoch)?.config.name
    if (group === undefined || !this.#isNews(`vote ${group}`, `${epoch} ${leader}`)) return
    this.#tell({ kind: 'vote', sentinelId: state.myid, group, epoch, leader })
  }

  #isNews(about: string, text: string): boolean {
    if (this.#told.get(about) === text) return false
    this.#told.set(about, text)
    return true
  }
}

/** Question and answer name no group; the vote they tell stands in one. */
function votedIn(state: State, leader: string, epoch: number): Group | undefined {
  return [...state.groups.values()].find(
    (group) => group.leader === leader && group.leaderEpoch === epoch,
  )
}

/** Counted here and not asked of the machine, whose arithmetic is what is to be checked. */
function electorateOf({ peers, config }: Group): Electorate {
  return { known: peers.size + 1, quorum: config.quorum }
}
