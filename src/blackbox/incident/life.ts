/**
 * What the record of one life of a Sentinel (one start of its process) tells about an incident: what
 * it announced, and its exchanges with peers, which tie its clock to theirs. All times are of its
 * own monotonic clock, which does not jump.
 */
import { type Address, hostAndPort } from '../../base/ip.ts'
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import { electorCount } from '../../core/election/quorum.ts'
import type { DataInstance, State } from '../../core/state.ts'
import type { PlayedStep } from '../player.ts'
import { ContactLog } from './contacts.ts'
import { NodeTalk } from './node-talk.ts'
import { PeerTalk } from './peer-talk.ts'

export interface SaidEvent {
  readonly monoMs: number
  readonly event: AnnouncedEvent
  /** Of a `+try-failover`: who counted then. */
  readonly electorate: { readonly known: number; readonly quorum: number } | undefined
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
  readonly talk: PeerTalk
  readonly nodeTalk = new NodeTalk()
  /** The last role of each node. */
  readonly #roles = new Map<string, string>()

  constructor(state: State) {
    this.myid = state.myid
    this.talk = new PeerTalk(state.myid)
    this.state = state
    this.startedAt = state.startedAt
    this.lastMonoMs = state.startedAt.monoMs
    this.lastWallMs = state.startedAt.wallMs
  }

  note(step: PlayedStep): void {
    const { monoMs, wallMs } = step.now
    if (this.firstMonoMs === undefined) {
      this.contacts.begin(step.state)
      this.talk.begin(step.state)
      this.nodeTalk.begin(step.state)
    }
    this.firstMonoMs ??= monoMs
    this.lastMonoMs = monoMs
    this.lastWallMs = wallMs
    this.state = step.state
    this.contacts.note(step)
    this.talk.note(step)
    this.nodeTalk.note(step)
    if (step.event.kind === 'reply' && step.event.purpose.kind === 'info')
      this.#informed(step, step.event.link)
    for (const effect of step.effects) {
      if (effect.kind !== 'log' || effect.level === 'debug') continue
      if (effect.event === undefined) this.lines.push({ monoMs, text: effect.text })
      else
        this.said.push({
          monoMs,
          event: effect.event,
          electorate: electorateIn(effect.event, step),
        })
    }
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
}

function electorateIn({ name, group }: AnnouncedEvent, { state }: PlayedStep) {
  const own = name === '+try-failover' ? state.groups.get(group?.name ?? '') : undefined
  return own && { known: electorCount(own), quorum: own.config.quorum }
}

function roleOf(node: DataInstance): SeenRole['role'] | undefined {
  if (node.roleReported === 'master') return { kind: 'master' }
  if (node.kind !== 'replica' || node.roleReported !== 'slave') return undefined
  const { masterHost: host, masterPort: port, masterLinkUp: isLinkUp } = node
  return { kind: 'replica', master: { host, port }, isLinkUp }
}
