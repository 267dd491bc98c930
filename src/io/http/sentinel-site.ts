/** What a Sentinel tells by HTTP: the pure functions of src/http, fed with the state of its machine. */
import { type Address, hostAndPort } from '../../base/ip.ts'
import { sameAddress, shownHost } from '../../core/names/names.ts'
import { currentMaster, type Turn } from '../../core/state.ts'
import { askedNode } from '../../http/asked-node.ts'
import { clusterInSlices } from '../../http/cluster-document.ts'
import { EventRing, type RecordedEvent } from '../../http/event-ring.ts'
import { FailoverHistory } from '../../http/failover-history.ts'
import type { ProbeAnswer } from '../../http/probe.ts'
import { KnownFacts } from '../../http/replication-facts.ts'
import { answerProbe, findGroup, sentinelReadiness } from '../../http/sentinel-probes.ts'
import { type SteeringAnswer, steeringAnswer, steeringCommand } from '../../http/steering.ts'
import { Timeline } from '../../http/timeline.ts'
import { DocumentInTurns, workInTurns } from '../in-turns.ts'
import type { SentinelHost } from '../sentinel-host.ts'
import type { EventFeed, HttpSite, RoleQuestion, SteeringOrder } from './http-site.ts'

/** How often the timeline looks when nothing is announced, and how soon after an event. */
const LOOK_MS = 2_000
const SOON_MS = 50

export class SentinelSite implements HttpSite {
  readonly #host: SentinelHost
  readonly #history = new FailoverHistory()
  readonly #timeline = new Timeline()
  readonly #cluster: DocumentInTurns
  readonly #hour: DocumentInTurns
  #isLookDue = false
  #isLooking = false
  readonly events: EventFeed
  readonly metrics?: () => Promise<Uint8Array>

  /** `metrics`: the Prometheus text of this moment. */
  constructor(host: SentinelHost, version: string, metrics?: () => Promise<Uint8Array>) {
    this.#host = host
    this.events = this.#follow()
    this.#lookAround()
    setInterval(() => this.#lookAround(), LOOK_MS).unref()
    this.#cluster = clusterDocuments(host, version)
    this.#hour = new DocumentInTurns(() =>
      host.look((_state, now) => this.#timeline.inSlices(now.wallMs)),
    )
    if (metrics !== undefined) this.metrics = metrics
  }

  readiness(): ProbeAnswer {
    return this.#host.look(sentinelReadiness)
  }

  role({ probe, group, node, haproxyState, lag }: RoleQuestion): ProbeAnswer {
    const asked = askedNode(node, haproxyState)
    return this.#look((turn) => answerProbe(turn, { probe, group, node: asked, lag }))
  }

  cluster(): Promise<Uint8Array> {
    return this.#cluster.document()
  }

  history(): unknown {
    this.#host.look((_state, now) => this.#history.followClock(now))
    return { incidents: this.#history.incidents }
  }

  timeline(): Promise<Uint8Array> {
    return this.#hour.document()
  }

  async steer({ word, group: name, body }: SteeringOrder): Promise<SteeringAnswer> {
    const group = this.#look(({ state }) => {
      const found = findGroup(state, name)
      return 'status' in found ? found : found.config.name
    })
    if (typeof group !== 'string') return refused(group.status === 404 ? 404 : 400, group.body.text)
    const command = steeringCommand(word, group, body)
    if ('fault' in command) return refused(400, command.fault)
    const fault = command.leader && this.#leaderFault(group, command.leader)
    if (fault !== undefined) return refused(409, fault)
    return steeringAnswer(await this.#host.ask(command.argv))
  }

  /** Why the order is not for this master; undefined: it is. */
  #leaderFault(name: string, leader: Address): string | undefined {
    return this.#look(({ state }) => {
      const group = state.groups.get(name)
      const master = group && currentMaster(group)
      if (master !== undefined && sameAddress(state, master, leader)) return undefined
      const now = master && `: ${hostAndPort(shownHost(state, master.host), master.port)} is`
      return `leader ${hostAndPort(leader.host, leader.port)} is not the master at present${now ?? ''}`
    })
  }

  #look<Seen>(read: (turn: Turn) => Seen): Seen {
    // The functions that decide take a turn; what is called here only reads it.
    return this.#host.look((state, now) => read({ state, now, effects: [] }))
  }

  #lookAround(): void {
    // This look may have passed what has just happened.
    if (this.#isLooking) return this.#lookSoon()
    this.#isLooking = true
    const slice = this.#host.look((state) => this.#timeline.observing(state))
    void workInTurns(() => this.#host.look((_state, now) => slice(now))).finally(() => {
      this.#isLooking = false
    })
  }

  /** Events come in bursts: one look for all of them. */
  #lookSoon(): void {
    if (this.#isLookDue) return
    this.#isLookDue = true
    setTimeout(() => {
      this.#isLookDue = false
      this.#lookAround()
    }, SOON_MS).unref()
  }

  #follow(): EventFeed {
    const host = this.#host
    const ring = new EventRing(host.look((_state, now) => now.wallMs))
    const followers = new Set<(event: RecordedEvent) => void>()
    const publish = (name: string, payload: string) => {
      const now = host.look((_state, moment) => moment)
      const event = ring.add(name, payload, now.wallMs)
      this.#history.followClock(now)
      this.#history.see(event)
      this.#lookSoon()
      for (const tell of followers) tell(event)
    }
    host.listen(publish, (event) => this.#history.announced(event))
    const follow = (tell: (event: RecordedEvent) => void) => {
      followers.add(tell)
      return () => void followers.delete(tell)
    }
    return { ring, follow }
  }
}

function clusterDocuments(host: SentinelHost, version: string): DocumentInTurns {
  const facts = new KnownFacts()
  return new DocumentInTurns(() => {
    const made = host.look((state, now) => clusterInSlices(state, now, version, facts))
    return { slice: () => host.look((_state, now) => made.slice(now)), pieces: () => made.pieces() }
  })
}

function refused(status: 400 | 404 | 409, text: string): SteeringAnswer {
  return { status, body: { ok: false, text, reply: null } }
}
