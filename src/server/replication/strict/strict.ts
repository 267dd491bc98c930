/**
 * [sync-replication] Strict replication, the node's half: which term this node is in, whether it may
 * answer as a master, and whether it is a voter. The protocol and its reasons are in docs/strict.md.
 *
 *     idle ── PROMOTE ──► serving          a master of a term
 *       ▲                    │
 *       └── FENCE, a higher term, the end of the process
 *
 * A node that follows a master is neither. An idle node has a history and no role in it: it answers
 * no commands on data, nothing expires, and replicas get nothing from it.
 */
import type { Address } from '../../../base/ip.ts'
import { bulks, error, OK, type Reply, simple } from '../../../resp/reply.ts'
import { NO_READS } from '../../errors.ts'
import type { NodeBase } from '../../node-base.ts'
import type { Jobs } from '../../persistence/jobs.ts'
import type { History } from '../history/history.ts'
import type { ReplicationStream } from '../history/stream.ts'
import type { ReplicaPeer } from '../serving/replica-peer.ts'
import type { Replicas } from '../serving/replicas.ts'
import * as refused from './refusals.ts'
import { NO_ROLE, type StrictRole } from './strict-role.ts'
import { SyncQuorum } from './sync-quorum.ts'
import {
  FENCED_STEP_MAX,
  FORCED_STEP_MAX,
  hasSameVoters,
  introductionText,
  isOther,
  isSame,
  type KeptTerm,
  type Layout,
  layoutLines,
  parseIntroduction,
  parseTerm,
  type Term,
  type TermMark,
} from './term.ts'
import { TermFile } from './term-file.ts'

/** What a master of a strict group has said on the present connection. */
interface Meeting {
  readonly term: number
  readonly marks: readonly TermMark[]
  /** With everything up to here this node has all it has ever acknowledged. */
  readonly offset: number
}

type Answer = (reply: Reply) => void

/** Between the order to follow the new master and the end of the connections: a Sentinel saves its state. */
const RELEASE_MS = 1_000

export class Strict {
  readonly isOn: boolean
  readonly quorum: SyncQuorum
  readonly #node: NodeBase
  readonly #history: History
  #role: StrictRole = NO_ROLE
  readonly #file: TermFile
  #marks: readonly TermMark[] = []
  /** It is sure to hold all that it has ever acknowledged. */
  #isVoter = false
  /** Its history has stood still since it was fenced in its present term. */
  #isFrozen = false
  #isServing = false
  #meeting: Meeting | undefined
  /** The highest term that a master has told: a node without a term keeps none of it. */
  #heardOf = 0

  constructor(node: NodeBase, history: History, replicas: Replicas, stream: ReplicationStream) {
    this.#node = node
    this.#history = history
    this.quorum = new SyncQuorum(node, history, replicas, stream)
    this.#file = new TermFile((text) => node.port.log('warning', text))
    this.isOn = node.settings.flag('sync-replication')
  }

  /** Reads what was kept. */
  start(jobs: Jobs, role: StrictRole): void {
    if (!this.isOn) return
    this.#role = role
    this.#node.syncGate.progress = this.quorum
    this.#file.load(jobs, (problem) => {
      if (problem !== undefined) this.#cannotRead(problem)
    })
  }

  get #kept(): KeptTerm {
    return this.#file.kept
  }

  /** A master without a term, in a history that no replica follows. */
  get isIdle(): boolean {
    return this.isOn && !this.#isServing && !this.#role.isFollower()
  }

  /** A master of the present term. */
  get isServing(): boolean {
    return this.#isServing
  }

  /** Whether the link to a master may be opened. */
  get isReady(): boolean {
    return !this.isOn || this.#file.isLoaded
  }

  /** Whether the master may be told how far this node is. */
  get mayAcknowledge(): boolean {
    return !this.isOn || (this.#file.isStored && !this.#isFrozen)
  }

  /** Why a command on data is refused, as an error reply without its dash; undefined: it is not. */
  refusal(): string | undefined {
    if (!this.isOn) return undefined
    if (this.#role.isFollower()) return NO_READS
    if (!this.#isServing) return refused.NO_TERM_HERE
    return this.quorum.isOverdue ? refused.tooFewVoters(this.quorum.stalledMs) : undefined
  }

  /** A disk that was full may take the term now. */
  everySecond(): void {
    if (this.isOn) this.#file.tryAgain(() => this.#role.acknowledge())
  }

  turnBegins(): void {
    if (this.isOn) this.quorum.turnBegins()
  }

  turnEnds(): void {
    if (this.isOn) this.quorum.turnEnds(this.#isServing)
  }

  // As a master

  /** `REPLCONF sync-term`: a replica says its term, and is told ours with what follows from it. */
  meetReplica(peer: ReplicaPeer, said: string): Reply {
    const term = parseTerm(said.split(':'))
    if (!this.isOn) return refused.NOT_STRICT
    if (term === undefined) return error(`ERR '${said.slice(0, 100)}' is no term`)
    if (term.number > this.#kept.number) {
      // Leaders fence voters only: what another node has heard of is no election of this group.
      if (this.quorum.isVoter(peer)) this.#depose(`a voter is in term ${term.number}`)
      return this.#stale()
    }
    if (!this.#isServing) return refused.NO_MASTER
    // It may have lost its disk and a fence with it: it has a vote again when a leader has fenced it.
    if (term.number > 0) this.quorum.meets(peer)
    return simple(introductionText(this.#kept, this.#history.offset, this.#marks))
  }

  // As a replica

  /** What to tell a master. Undefined: nothing, replication is asynchronous. */
  get saidTerm(): string | undefined {
    return this.isOn ? `${this.#kept.number}:${this.#kept.leader}` : undefined
  }

  /** The master's answer. Returns why it cannot be followed; undefined: it can. */
  meetMaster(text: string): string | undefined {
    this.#meeting = undefined
    const said = parseIntroduction(text)
    if (said === undefined) {
      const isFirst = this.#kept.number === 0 && !text.startsWith('-STALETERM')
      return isFirst ? undefined : `it is no master of term ${this.#kept.number}: ${text}`
    }
    const { number, leader, layout, marks, offset } = said
    this.#heardOf = Math.max(this.#heardOf, number)
    // The term of the next leader, and no other, is surely as high as any that a lost disk knew.
    if (this.#kept.number === 0) return undefined
    if (number < this.#kept.number) return `its term ${number} is older than ours`
    if (isOther(this.#kept, said)) return `its term ${number} is another leader's`
    this.#meeting = { term: number, marks, offset }
    this.#file.keep({ number, leader, layout, hasJoined: true }, () => this.#role.acknowledge())
    return undefined
  }

  /** The data are a copy now. It may be older than what we had acknowledged. */
  copied(): void {
    this.#isVoter = false
  }

  /** The stream goes on from our position, which is one in the master's history. */
  follows(): void {
    if (!this.isOn) return
    this.#isFrozen = false
    if (this.#meeting === undefined) this.#isVoter = false
    else this.#marks = this.#meeting.marks
    this.#look()
  }

  /** More of the master's stream has been applied: its clients wait for our acknowledgement. */
  applied(): void {
    if (!this.isOn) return
    this.#look()
    this.#role.acknowledge()
  }

  #look(): void {
    if (this.#isVoter || this.#meeting === undefined) return
    if (this.#history.offset < this.#meeting.offset) return
    this.#isVoter = true
    this.#node.port.log('notice', `this node is a voter in term ${this.#meeting.term}`)
  }

  /** The data may be damaged. */
  lost(): void {
    this.#isVoter = false
  }

  /** The node is told to follow a master. */
  demoted(): void {
    if (!this.isOn) return
    this.#depose('it follows a master')
    this.#shortenHold()
    this.quorum.end()
  }

  // Fences

  /**
   * A leader is about to fence this master: its clients go ahead or wait, and the heir gets everything. No promise
   * depends on it. If the fence does not come, the master goes on when the time is up.
   */
  prepare(term: Term, heir: Address, limitMs: number, answer: Answer): void {
    if (!this.isOn) return answer(refused.NOT_STRICT)
    if (term.number <= this.#kept.number) return answer(this.#stale())
    if (!this.#isServing) return answer(refused.NO_MASTER)
    this.#role.handover.prepare(heir, limitMs, (refusal) => {
      if (refusal === undefined) this.#holdClients(limitMs)
      answer(refusal ?? OK)
    })
  }

  /** From now on nothing of a lower term is taken or acknowledged. Answers with our history. */
  fence(term: Term, layout: Layout, answer: Answer): void {
    const refusal = this.#refuseFence(term, layout)
    if (refusal !== undefined) return answer(refusal)
    this.#freeze(term)
    this.#file.keep({ ...this.#kept, ...term, layout }, (failure) => {
      if (failure !== undefined) answer(refused.cannotKeep(failure))
      // A later fence may have come while this one was written.
      else answer(this.#holds(term) ? this.#standing() : this.#stale())
    })
  }

  /** The leader that has fenced us makes us the master of its term. */
  promote(term: Term, answer: Answer): void {
    if (!this.isOn) return answer(refused.NOT_STRICT)
    if (this.#isServing && isSame(term, this.#kept)) return answer(OK)
    if (!this.#holds(term)) return answer(this.#stale())
    this.#file.keep({ ...this.#kept, hasJoined: true }, (failure) => {
      if (failure !== undefined) return answer(refused.cannotKeep(failure))
      if (!this.#holds(term)) return answer(this.#stale())
      this.#begin(term)
      answer(OK)
    })
  }

  /** An operator takes what this node has for the truth. */
  force(term: Term, layout: Layout, answer: Answer): void {
    if (!this.isOn) return answer(refused.NOT_STRICT)
    if (!this.#file.isLoaded) return answer(refused.NOT_READY)
    if (term.number <= this.#kept.number) return answer(this.#stale())
    if (term.number - this.#kept.number > FORCED_STEP_MAX) return answer(refused.outOfReach(term))
    const text = `it is forced to be the master of term ${term.number}`
    this.#node.port.log('warning', `${text}: what others have acknowledged may be lost`)
    this.#freeze(term)
    this.#file.take({ ...this.#kept, ...term, layout })
    this.promote(term, answer)
  }

  /** For INFO replication. */
  infoLines(): string[] {
    if (!this.isOn) return []
    return [
      'sync_replication:1',
      `sync_state:${this.#stateName()}`,
      `sync_term:${this.#kept.number}`,
      `sync_leader:${this.#kept.leader}`,
      `sync_history_term:${this.#lastTerm()}`,
      `sync_voter:${this.#isVoter ? 1 : 0}`,
      ...layoutLines(this.#kept.layout),
      ...(this.#isServing ? this.quorum.infoLines() : []),
    ]
  }

  #stateName(): string {
    if (this.#isServing) return 'master'
    if (this.#isFrozen) return 'fenced'
    return this.#role.isFollower() ? 'replica' : 'idle'
  }

  #cannotRead(reason: string): void {
    const text = refused.unreadable(reason)
    this.#node.port.log('warning', text)
    this.#node.port.exit(1, text)
  }

  #depose(reason: string): void {
    if (!this.#isServing) return
    this.#isServing = false
    this.#role.handover.endPreparation(reason)
    const text = `this node is no master of term ${this.#kept.number} any more: ${reason}`
    this.#node.port.log('warning', text)
  }

  #refuseFence(term: Term, layout: Layout): Reply | undefined {
    if (!this.isOn) return refused.NOT_STRICT
    if (!this.#file.isLoaded) return refused.NOT_READY
    if (term.number < this.#kept.number || isOther(this.#kept, term)) return this.#stale()
    const step = term.number - Math.max(this.#kept.number, this.#heardOf)
    if (step > FENCED_STEP_MAX) return refused.outOfReach(term)
    if (isSame(this.#kept, term) && !this.#isFrozen) return this.#stale()
    const { layout: own, hasJoined } = this.#kept
    if (!hasJoined || own === undefined || hasSameVoters(own, layout)) return undefined
    return refused.otherVoters(this.#kept.number, own, layout)
  }

  #freeze(term: Term): void {
    if (this.#isServing) this.#holdClients(this.#node.settings.int('sync-replication-timeout'))
    this.#depose(`it was fenced in term ${term.number}`)
    this.#isFrozen = true
    this.#meeting = undefined
    this.#role.freeze()
    this.#node.port.log('notice', `fenced in term ${term.number} by ${term.leader}`)
  }

  /** Until it is known where their commands belong, so that a handover shows them no error. */
  #holdClients(limitMs: number): void {
    const { now, pause } = this.#node
    pause.start(now.monoMs + limitMs, 'data', 'fence')
  }

  /** The leader closes their connections when Sentinels name the new master, and then ends the hold. */
  #shortenHold(): void {
    const { pause } = this.#node
    if (!pause.has('fence')) return
    pause.end('fence')
    this.#holdClients(RELEASE_MS)
  }

  /** CLIENT UNPAUSE: clients of a master that follows another one have nothing to wait for. */
  unpaused(): void {
    if (this.#role.isFollower()) this.#node.pause.end('fence')
  }

  #holds(term: Term): boolean {
    return this.#isFrozen && isSame(this.#kept, term)
  }

  #begin({ number }: Term): void {
    const { layout } = this.#kept
    if (layout === undefined) return
    this.#history.createBacklog()
    this.#role.promote('a Sentinel fences the voters and names it')
    this.#marks = [...this.#marks, { term: number, from: this.#history.offset + 1 }]
    this.#isFrozen = false
    this.#isServing = true
    this.#node.pause.end('fence')
    this.#isVoter = true
    this.quorum.begin(layout)
  }

  #stale(): Reply {
    const { number, leader } = this.#kept
    return error(`STALETERM this node is in term ${number} of ${leader || 'nobody'}`)
  }

  /** What a leader chooses by. */
  #standing(): Reply {
    const standing = this.#isVoter ? 'voter' : this.#kept.hasJoined ? 'behind' : 'new'
    const words = [this.#kept.number, this.#lastTerm(), this.#history.offset].map(String)
    return bulks([...words, standing, this.#history.id])
  }

  #lastTerm(): number {
    return this.#marks.findLast(({ from }) => from <= this.#history.offset)?.term ?? 0
  }
}
