/**
 * Watches one Sentinel from outside and reports what can be known: its events, the masters it
 * names, and which of its epochs and votes have left the process. A promise counts from the moment
 * other processes can hear it, hence effects are looked at when they are performed and not when
 * they are decided.
 */
import type { Moment } from '../../base/clock.ts'
import { type Address, isSameAddress } from '../../base/ip.ts'
import { parseHello } from '../../core/discovery/hello-format.ts'
import type { Effect } from '../../core/effect.ts'
import type { Event } from '../../core/event.ts'
import { isEventName } from '../../core/event-table.ts'
import { eventWords } from '../../core/event-words.ts'
import type { ClientId, LinkId } from '../../core/ids.ts'
import { shownHost } from '../../core/names/names.ts'
import type { SavedState } from '../../core/persistence/saved.ts'
import { currentMaster, type Group, type State } from '../../core/state.ts'
import type { Electorate, Occurrence } from '../../history/happening.ts'
import type { Reply } from '../../resp/reply.ts'
import { MemoryWitness } from './memory-witness.ts'

/** A group with fewer peers and replicas than this is not worth reporting. */
const CROWD_MIN = 64

type Tell = (occurrence: Occurrence) => void

export class SentinelWitness {
  readonly #tell: Tell
  /** What was reported last, by subject, so that only changes are reported. */
  readonly #told = new Map<string, string>()
  /** The master of each group that was reported last: checked after every step. */
  readonly #views = new Map<string, Address>()
  /** The next number of peers and replicas of a group to report. */
  readonly #crowds = new Map<string, number>()
  readonly #silences = new Silences()
  readonly #memory: MemoryWitness
  /** Where each connection that is open leads. */
  readonly #places = new Map<LinkId, Address>()

  constructor(tell: Tell) {
    this.#tell = tell
    this.#memory = new MemoryWitness((text) => tell({ kind: 'misremembered', text }))
  }

  /** The process has started again: the Sentinel may have forgotten what it knew. */
  forget(): void {
    this.#told.clear()
    this.#views.clear()
    this.#crowds.clear()
    this.#silences.forget()
    this.#places.clear()
  }

  /** The process has begun to live, at this moment of its own, with the machine built from this file. */
  born(state: State, file: SavedState | undefined, now: Moment): void {
    this.#silences.born(now.monoMs)
    this.#memory.started(state, file, now)
  }

  /** A save has ended; undefined: it failed. */
  saved(state: State, file: SavedState | undefined, now: Moment): void {
    if (file === undefined) this.#memory.saveFailed()
    else this.#memory.saved(state, file, now)
  }

  /**
   * An event is about to be handled. Without these calls it is unknown how long a master was
   * silent.
   */
  heard(state: State, event: Event, nowMs: number): void {
    this.#silences.heard(state, event, nowMs)
  }

  /** An effect is being performed. */
  done(state: State, effect: Effect): void {
    if (effect.kind === 'log') this.#logged(state, effect)
    else if (effect.kind === 'send') this.#sent(state, effect)
    else if (effect.kind === 'respond') this.#responded(state, effect)
    else if (effect.kind === 'openLink') this.#places.set(effect.link, addressIn(effect))
    else if (effect.kind === 'closeLink') this.#places.delete(effect.link)
  }

  /** A batch, or the part of it before a save, has been performed. */
  stepped(state: State): void {
    for (const group of state.groups.values()) {
      this.#counted(group)
      const master = shownAt(state, currentMaster(group))
      const { name } = group.config
      const told = this.#views.get(name)
      if (told?.host === master.host && told.port === master.port) continue
      this.#views.set(name, master)
      this.#tell({ kind: 'view', group: name, master })
    }
  }

  #counted({ config: { name }, peers, replicas }: Group): void {
    const count = peers.size + replicas.size
    if (count < CROWD_MIN || count < (this.#crowds.get(name) ?? CROWD_MIN)) return
    this.#crowds.set(name, Math.ceil(1.25 * count))
    this.#tell({ kind: 'crowd', group: name, peers: peers.size, replicas: replicas.size })
  }

  #logged(state: State, effect: Effect & { kind: 'log' }): void {
    const [name = ''] = effect.text.split(' ', 1)
    // An event at debug level goes to the log only.
    if (!isEventName(name) || effect.level === 'debug') {
      this.#tell({ kind: 'log', level: effect.level, text: effect.text })
      return
    }
    const payload = effect.text.slice(name.length + 1)
    const about = groupIn(payload)
    const group = state.groups.get(about)
    const silentMs = name === '+sdown' ? this.#silences.before(payload) : undefined
    const failover = name === '+try-failover' ? group?.failover?.kind : undefined
    const more = {
      ...(silentMs === undefined ? {} : { silentMs }),
      ...(failover === undefined ? {} : { failover }),
    }
    this.#tell({ kind: 'event', name, payload, ...more })
    if (name === '-monitor') this.#views.delete(about)
    if (group === undefined) return
    if (name === '+elected-leader') this.#elected(state, group)
    else if (name === '+try-failover') this.#stood(state, group)
    else if (name === '+selected-slave') this.#selected(state, group)
  }

  #stood(state: State, group: Group): void {
    const { failover } = group
    const { name, replication } = group.config
    if (failover === undefined) return
    const { epoch, kind } = failover
    if (!this.#isNews(`candidacy ${name}`, `${epoch}`)) return
    // Counted here and not by the machine, which is to be checked.
    if (kind !== 'forced' || replication === 'strict') this.#memory.stands(name)
    const master = shownAt(state, group.master)
    const electorate = electorateOf(group)
    const who = { sentinelId: state.myid, group: name, epoch, forced: kind === 'forced' }
    const isPlanned = kind !== 'automatic'
    this.#tell({ kind: 'candidacy', ...who, isPlanned, master, electorate })
  }

  #selected(state: State, { config, failover, replicas }: Group): void {
    const { name } = config
    const chosen = failover?.promoted
    if (chosen === undefined) return
    if (!this.#isNews(`selection ${name}`, `${failover?.epoch}`)) return
    const known = [...replicas.values()].map((one) => shownAt(state, one))
    // The real state of the nodes is added by code that can look into them.
    const master = shownAt(state, config)
    const isNamed = failover?.target !== undefined
    const choice = { group: name, chosen: shownAt(state, chosen), master, isNamed, known }
    this.#tell({ kind: 'selection', ...choice, standings: [] })
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
    if (effect.purpose.kind === 'hello') this.#greeted(state, effect.argv.at(-1) ?? '')
    if (effect.purpose.kind === 'slaveof') this.#ordered(state, effect)
    // A request for votes announces the vote we gave ourselves.
    if (effect.purpose.kind !== 'ask' || effect.purpose.epoch === 0) return
    this.#voted(state, effect.purpose.epoch, effect.argv.at(-1) ?? '')
  }

  #greeted(state: State, payload: string): void {
    const hello = parseHello(payload)
    if (hello === undefined) return
    const { group, configEpoch, runId, masterHost, masterPort, currentEpoch } = hello
    const text = `${runId} ${currentEpoch} ${configEpoch} ${masterHost}:${masterPort}`
    if (!this.#isNews(`hello ${group}`, text)) return
    const master = { host: masterHost, port: masterPort }
    this.#memory.tellsEpochs(state, group, currentEpoch, configEpoch)
    this.#tell({ kind: 'hello', sentinelId: runId, group, configEpoch, master, currentEpoch })
  }

  /** SLAVEOF itself, out of its transaction. */
  #ordered(state: State, { link, argv }: Effect & { kind: 'send' }): void {
    const [command, host = '', port = ''] = argv
    const node = this.#places.get(link)
    if (command !== 'SLAVEOF' || node === undefined) return
    const master = host === 'NO' ? undefined : { host, port: Number(port) }
    const group = groupOf(state, node, master)
    if (group === undefined) return
    const { configEpoch } = group
    this.#tell({ kind: 'order', group: group.config.name, node, master, configEpoch })
  }

  /** An answer to IS-MASTER-DOWN-BY-ADDR carries a vote if it names a leader. */
  #responded(state: State, { client, reply }: Effect & { kind: 'respond' }): void {
    if (reply.kind !== 'array' && reply.kind !== 'push') return
    const [first, second, third] = reply.items
    if (reply.items.length !== 3 || third === undefined) return
    if (first?.kind === 'bulk') return this.#published(client, second, third)
    if (first?.kind !== 'integer' || third.kind !== 'integer') return
    if (Number(first.value) === 1) {
      this.#tell({ kind: 'opinion', says: second?.kind === 'bulk' ? 'down' : 'refused' })
    }
    if (second?.kind !== 'bulk' || second.bytes === '*') return
    this.#voted(state, Number(third.value), second.bytes)
  }

  /** `message`, the channel, and the payload. */
  #published(client: ClientId, channel: Reply | undefined, payload: Reply): void {
    if (channel?.kind !== 'bulk' || channel.bytes !== '+switch-master') return
    const words = payload.kind === 'bulk' ? eventWords('+switch-master', payload.bytes) : undefined
    if (words === undefined) return
    const { group, oldHost, oldPort, newHost, newPort } = words
    const from = { host: oldHost, port: Number(oldPort) }
    const to = { host: newHost, port: Number(newPort) }
    this.#tell({ kind: 'switchTold', client, group, from, to })
  }

  #voted(state: State, epoch: number, leader: string): void {
    for (const { config } of votedIn(state, leader, epoch)) {
      const group = config.name
      if (!this.#isNews(`vote ${group}`, `${epoch} ${leader}`)) continue
      this.#memory.tellsVote(group, epoch, leader)
      this.#tell({ kind: 'vote', sentinelId: state.myid, group, epoch, leader })
    }
  }

  #isNews(about: string, text: string): boolean {
    if (this.#told.get(about) === text) return false
    this.#told.set(about, text)
    return true
  }
}

/** As clients are told: checkers know nodes by it, and the name that a group is monitored by may be known to it alone. */
function shownAt(state: State, { host, port }: Address): Address {
  return { host: shownHost(state, host), port }
}

function addressIn({ host, port }: Address): Address {
  return { host, port }
}

/**
 * The group in which a node is told to follow this master. Several may know the node, if its place was another's before, and
 * the master, too, if operators made one group follow another.
 */
function groupOf(state: State, node: Address, master: Address | undefined): Group | undefined {
  const groups = [...state.groups.values()].filter((one) => isDataNodeOf(state, one, node))
  if (master === undefined) return groups.find(({ failover }) => failover) ?? groups[0]
  const ofMaster = groups.filter((one) => isDataNodeOf(state, one, master))
  const isLed = (one: Group): boolean => isSameAddress(shownAt(state, currentMaster(one)), master)
  return ofMaster.find(isLed) ?? ofMaster[0] ?? groups[0]
}

function isDataNodeOf(state: State, { master, replicas }: Group, address: Address): boolean {
  const place = shownAt(state, address)
  return [master, ...replicas.values()].some((one) => isSameAddress(shownAt(state, one), place))
}

/**
 * Question and answer name no group: the vote may belong to any group with this leader and epoch.
 */
function votedIn(state: State, leader: string, epoch: number): readonly Group[] {
  return [...state.groups.values()].filter(
    (group) => group.leader === leader && group.leaderEpoch === epoch,
  )
}

/**
 * Counted here and not taken from the machine, whose arithmetic is to be checked: the peers that
 * have answered as Sentinels, and in a group too small to be complete all that were heard of.
 */
function electorateOf({ peers, config: { quorum } }: Group): Electorate {
  const proven = [...peers.values()].filter(({ isProven }) => isProven).length + 1
  return { known: proven < 3 || proven < quorum ? peers.size + 1 : proven, quorum }
}

/**
 * The group that an event of a failover is about. The state is ahead of the events: if several
 * groups fail over in one turn, it shows all of their failovers before any but the first has been
 * reported.
 */
function groupIn(payload: string): string {
  return / @ (\S+) /.exec(payload)?.[1] ?? payload.split(' ')[1] ?? ''
}

// How long a Sentinel has had no good reply from a master, seen from outside: the machine's own
// reading of its replies is to be checked. Times are monotonic milliseconds of the Sentinel's
// process.

/** Replies to PING from a server that works, by C Sentinel's rules. */
const GOOD = /^(PONG|LOADING|MASTERDOWN)/

class Silences {
  /** By `host port` of the instance. */
  readonly #goodAtMs = new Map<string, number>()
  #bornAtMs: number | undefined
  #nowMs = 0

  /** The process has started again. */
  forget(): void {
    this.#goodAtMs.clear()
    this.#bornAtMs = undefined
  }

  born(nowMs: number): void {
    this.#bornAtMs = nowMs
    this.#nowMs = nowMs
  }

  heard(state: State, event: Event, nowMs: number): void {
    this.#nowMs = nowMs
    if (event.kind !== 'reply' || event.purpose.kind !== 'ping' || !isGood(event.reply)) return
    const [instance] = state.connections.get(event.link)?.link.owners ?? []
    if (instance !== undefined) this.#goodAtMs.set(`${instance.host} ${instance.port}`, nowMs)
  }

  /**
   * The silence of the master that an event is about; undefined if it is about another instance, or
   * nothing was observed.
   */
  before(payload: string): number | undefined {
    const [type, , host, port] = payload.split(' ')
    if (type !== 'master' || this.#bornAtMs === undefined) return undefined
    return this.#nowMs - (this.#goodAtMs.get(`${host} ${port}`) ?? this.#bornAtMs)
  }
}

function isGood(reply: Reply): boolean {
  if (reply.kind === 'bulk') return GOOD.test(reply.bytes)
  return (reply.kind === 'simple' || reply.kind === 'error') && GOOD.test(reply.text)
}
