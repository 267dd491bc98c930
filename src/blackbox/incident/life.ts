/**
 * What the record of one life of a Sentinel (one start of its process) tells about an incident: what
 * it announced, and its exchanges with peers, which tie its clock to theirs. All times are of its
 * own monotonic clock, which does not jump.
 */
import { type Address, hostAndPort } from '../../base/ip.ts'
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import type { DataInstance, State } from '../../core/state.ts'
import { RequestDecoder } from '../../resp/request-decoder.ts'
import type { PlayedStep } from '../player.ts'
import { ContactLog } from './contacts.ts'

export interface SaidEvent {
  readonly monoMs: number
  readonly event: AnnouncedEvent
}

/** A line that is no event. */
export interface SaidLine {
  readonly monoMs: number
  readonly text: string
}

/** The role of a node, as it told this Sentinel. */
export interface SeenRole {
  readonly monoMs: number
  readonly address: string
  readonly role:
    | { readonly kind: 'master' }
    | { readonly kind: 'replica'; readonly master: Address; readonly isLinkUp: boolean }
}

/** The first time a question was asked, and the first answer to one with its purpose. */
export interface AskedQuestion {
  readonly sentAtMs: number
  answeredAtMs: number | undefined
}

/** How peers name their connections: the beginning of their run id. */
const NAMED_PEER = /^sentinel-([0-9a-f]{8})-cmd$/
const ID_CHARACTERS = 8
/** Questions that differ from each other, because they name an epoch; PING and hellos do not. */
const TELLING = new Set(['ask', 'confer'])

export class SentinelLife {
  readonly myid: string
  readonly startedAt: { readonly monoMs: number; readonly wallMs: number }
  /** As the last step that was noted left it. */
  state: State
  readonly roles: SeenRole[] = []
  /** Where its record begins, which may be long after its start; undefined: nothing is noted yet. */
  firstMonoMs: number | undefined
  lastMonoMs: number
  lastWallMs: number
  readonly said: SaidEvent[] = []
  readonly contacts = new ContactLog()
  readonly lines: SaidLine[] = []
  /** By question, which begins with the short ids of both Sentinels. */
  readonly asked = new Map<string, AskedQuestion>()
  readonly heard = new Map<string, number>()
  /** The question that a purpose belongs to, until it is answered. */
  readonly #open = new Map<string, string>()

  /** The last role of each node. */
  readonly #roles = new Map<string, string>()

  constructor(state: State) {
    this.myid = state.myid
    this.state = state
    this.startedAt = state.startedAt
    this.lastMonoMs = state.startedAt.monoMs
    this.lastWallMs = state.startedAt.wallMs
  }

  get shortId(): string {
    return this.myid.slice(0, ID_CHARACTERS)
  }

  note(step: PlayedStep): void {
    const { monoMs, wallMs } = step.now
    if (this.firstMonoMs === undefined) this.contacts.begin(step.state)
    this.firstMonoMs ??= monoMs
    this.lastMonoMs = monoMs
    this.lastWallMs = wallMs
    this.state = step.state
    this.contacts.note(step)
    if (step.event.kind === 'received')
      this.#heardFromPeer(step, step.event.client, step.event.bytes)
    if (step.event.kind === 'reply') {
      this.#answered(step.event.link, step.event.purpose, monoMs)
      if (step.event.purpose.kind === 'info') this.#informed(step, step.event.link)
    }
    for (const effect of step.effects) {
      if (effect.kind === 'send' && TELLING.has(effect.purpose.kind)) {
        this.#ask(step.state, effect.link, effect.purpose, effect.argv, monoMs)
      }
      if (effect.kind !== 'log' || effect.level === 'debug') continue
      if (effect.event === undefined) this.lines.push({ monoMs, text: effect.text })
      else this.said.push({ monoMs, event: effect.event })
    }
  }

  #ask(state: State, link: number, purpose: object, argv: readonly string[], monoMs: number): void {
    const [peer] = state.connections.get(link)?.link.owners ?? []
    if (peer?.kind !== 'sentinel') return
    const question = questionOf(this.shortId, peer.runId.slice(0, ID_CHARACTERS), argv)
    if (this.asked.has(question)) return
    this.asked.set(question, { sentAtMs: monoMs, answeredAtMs: undefined })
    this.#open.set(`${link} ${JSON.stringify(purpose)}`, question)
  }

  /** Notes the role that a node says it has, where it has changed. */
  #informed({ state, now }: PlayedStep, link: number): void {
    const [node] = state.connections.get(link)?.link.owners ?? []
    if (node === undefined || node.kind === 'sentinel') return
    const address = hostAndPort(node.host, node.port)
    const role = roleOf(node)
    const shown = JSON.stringify(role)
    if (role === undefined || this.#roles.get(address) === shown) return
    this.#roles.set(address, shown)
    this.roles.push({ monoMs: now.monoMs, address, role })
  }

  #answered(link: number, purpose: object, monoMs: number): void {
    if (this.#open.size === 0) return
    const place = `${link} ${JSON.stringify(purpose)}`
    const asked = this.asked.get(this.#open.get(place) ?? '')
    if (asked === undefined) return
    asked.answeredAtMs = monoMs
    this.#open.delete(place)
  }

  #heardFromPeer({ state, now }: PlayedStep, client: number, bytes: string): void {
    const [, peer] = NAMED_PEER.exec(state.clients.get(client)?.name ?? '') ?? []
    if (peer === undefined || !/SENTINEL/i.test(bytes)) return
    const decoder = new RequestDecoder()
    decoder.push(bytes)
    for (let request = decoder.next(); request?.kind === 'command'; request = decoder.next()) {
      const question = questionOf(peer, this.shortId, request.argv)
      if (!this.heard.has(question)) this.heard.set(question, now.monoMs)
    }
  }
}

function roleOf(node: DataInstance): SeenRole['role'] | undefined {
  if (node.roleReported === 'master') return { kind: 'master' }
  if (node.kind !== 'replica' || node.roleReported !== 'slave') return undefined
  const { masterHost: host, masterPort: port, masterLinkUp: isLinkUp } = node
  return { kind: 'replica', master: { host, port }, isLinkUp }
}

function questionOf(from: string, to: string, argv: readonly string[]): string {
  return `${from} ${to} ${argv.join(' ')}`
}
