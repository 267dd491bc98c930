/**
 * An application: it finds its master through the Sentinels, checks with ROLE that it got one, and
 * does its work there, at a steady rate or one request after another. The write log records which
 * writes were acknowledged, refused or never answered. After a while the client gives a silent
 * master up and looks for another or, if it is patient, waits for it and loses no command.
 */

import { assert } from '../../base/assert.ts'
import { type Address, isSameAddress } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import type { Told } from '../../history/data/told.ts'
import type { Occurrence } from '../../history/happening.ts'
import type { Manner, OperationKind, Pace } from '../../history/topology.ts'
import type { Question, Write } from '../../history/writes.ts'
import { plainOf } from '../../resp/plain.ts'
import type { Reply } from '../../resp/reply.ts'
import { earliest } from '../../server/earliest.ts'
import type { Program } from '../processes/process.ts'
import type { Shell } from '../processes/shell.ts'
import {
  type ClientRequest,
  commandsOf,
  type DataWork,
  dataRequestOf,
  firstDataRequests,
  firstNumber,
  isEnough,
  isVain,
  isWatch,
  numberIn,
  requestOf,
  sharedRequestsOf,
  valueAfter,
  waitFor,
} from './client-request.ts'
import { Exchange } from './exchange.ts'
import { HalfCloses } from './half-closes.ts'
import { isMasterRole, knownPlace, MasterLookup } from './master-lookup.ts'
import { NewsCourse } from './news-course.ts'
import { ScanCourse } from './scan-course.ts'
import { SideLooks } from './side-looks.ts'
import type { OpenRead, WriteOrigin, WriteSink } from './write-log.ts'

const CONNECT_TIMEOUT_MS = 1_000
const ANSWER_TIMEOUT_MS = 1_000
const RETRY_FIRST_MS = 20
const RETRY_MAX_MS = 500
/** A client without any pause would never let virtual time pass while it talks to its master. */
const THINK_MIN_MS = 1
/** What the write log says of a transaction that did not run. */
const VAIN = 'WATCH a watched key had changed'
/** More than the connections of a life. */
const CONNECTIONS_PER_LIFE = 1_000_000

export interface ClientStart {
  readonly shell: Shell
  readonly group: string
  readonly sentinels: readonly Address[]
  readonly operation: OperationKind
  readonly pace: Pace
  readonly manner: Manner
  /** A write counts only if WAIT says that so many replicas have it; undefined: without WAIT. */
  readonly wait?: number | undefined
  readonly log: WriteSink
  /** Undefined if the operation is another one than `data`. */
  readonly work?: DataWork | undefined
  /** For an operation in which chance has a say. */
  readonly rng?: Rng | undefined
  /** Where its proxy is; undefined: it asks the Sentinels itself. */
  readonly proxy?: Address | undefined
  /** Behind a proxy: the name of the node whose answer is being heard; undefined: the proxy answers itself. */
  readonly heardFrom?: () => string | undefined
  /** Where the nodes of its group are, for a client that looks at its data everywhere. */
  readonly nodes?: () => readonly Address[]
  /** How it tells of answers that are owed when it closes its half; undefined: it never does. */
  readonly tellUnanswered?: ((what: Occurrence) => void) | undefined
  /** The password of nodes and Sentinels; undefined if they require none. */
  readonly password?: string | undefined
}

/** A request that has no answer yet. */
interface Asked {
  /** Monotonic, by this client's own clock. */
  readonly atMs: number
  readonly request: ClientRequest
  readonly write: Write | undefined
  readonly read: OpenRead | undefined
  readonly question: Question | undefined
  /** How many replies are still to come: one for each command. */
  repliesLeft: number
  /** What was replied to the write, if a WAIT follows it. */
  beforeWait: Reply | undefined
  /** One of its commands was refused because the node is a replica. */
  isMisdirected: boolean
}

export class ClientProgram implements Program {
  readonly #start: ClientStart
  readonly #lookup: Pick<MasterLookup, 'ask' | 'wake' | 'dueMs'>
  readonly #asides: SideLooks | undefined
  readonly #scans: ScanCourse | undefined
  readonly #news: NewsCourse | undefined
  readonly #halfCloses: HalfCloses | undefined
  readonly #flushes: Rng | undefined
  readonly #owner: string
  readonly #bornAtMs: number
  #master: Exchange | undefined
  /** This client, and the node behind the connection. */
  #by: WriteOrigin
  #isReady = false
  #connections = 0
  /** The oldest comes first. */
  #unanswered: Asked[] = []
  /** For a patient client: the requests that go out first on the next connection. */
  #again: ClientRequest[] = []
  /** What the present request begins: each of these waits for the answer to the one before. */
  #course: readonly ClientRequest[] = []
  /** The number of the next request. With a steady rate, it decides when the request is due. */
  #number = 0
  /**
   * Monotonic: when the answer to the previous request arrived, or the connection was established.
   */
  #idleSinceMs = 0
  #retryMs = RETRY_FIRST_MS
  /** Monotonic: when to look for a master again. */
  #retryAtMs: number | undefined
  #roleDueMs: number | undefined

  constructor(start: ClientStart) {
    this.#start = start
    const { shell, group, sentinels, password } = start
    this.#owner = `${shell.name}:${shell.life}`
    this.#bornAtMs = this.#nowMs()
    this.#by = { client: shell.name, group, node: '' }
    const named = (address: Address): void => this.#named(address)
    this.#lookup =
      start.proxy === undefined
        ? new MasterLookup({ shell, group, sentinels, password, named })
        : knownPlace(start.proxy, named)
    this.#lookup.ask()
    this.#asides = asidesOf(start)
    this.#news = newsOf(start)
    this.#halfCloses = halfClosesOf(start)
    this.#flushes = start.work?.isAlone === true ? start.work.rng.fork('flushes') : undefined
    this.#scans = start.work && new ScanCourse(start.work.rng.fork('scans'))
  }

  wake(): void {
    const nowMs = this.#nowMs()
    this.#asides?.wake(nowMs)
    this.#news?.wake(nowMs)
    this.#halfCloses?.wake(nowMs)
    this.#lookup.wake(nowMs)
    if (this.#retryAtMs !== undefined && nowMs >= this.#retryAtMs) {
      this.#retryAtMs = undefined
      this.#lookup.ask()
    }
    if (nowMs >= (this.#answerDueMs() ?? Number.POSITIVE_INFINITY)) this.#giveUp()
    // What is due at the same time leaves in one piece.
    const master = this.#master
    master?.hold()
    while (nowMs >= (this.#nextRequestMs() ?? Number.POSITIVE_INFINITY)) this.#request(nowMs)
    master?.release()
  }

  nextWakeUpMs(): number | undefined {
    const own = [this.#nextRequestMs(), this.#answerDueMs(), this.#retryAtMs, this.#lookup.dueMs]
    return earliest(...own, this.#asides?.dueMs, this.#news?.dueMs, this.#halfCloses?.dueMs)
  }

  stopRequested(): void {
    this.#start.shell.exit()
  }

  #named(address: Address): void {
    const current = this.#master?.address
    if (current !== undefined && this.#isPatient) return
    if (isSameAddress(current, address)) return
    this.#dropMaster()
    this.#retryAtMs = undefined
    this.#roleDueMs = this.#nowMs() + CONNECT_TIMEOUT_MS
    this.#by = { ...this.#by, node: this.#start.log.nameOf(address) }
    const { shell, password } = this.#start
    const handler = {
      connected: () => exchange.send(['ROLE']),
      replied: (reply: Reply) => this.#replied(reply),
      lost: () => this.#giveUp(),
    }
    const exchange = new Exchange(shell, address, CONNECT_TIMEOUT_MS, handler, password)
    this.#master = exchange
  }

  #replied(reply: Reply): void {
    if (this.#isReady) this.#answered(reply)
    else if (isMasterRole(reply)) this.#begin()
    else this.#giveUp()
  }

  #begin(): void {
    this.#isReady = true
    this.#connections++
    this.#roleDueMs = undefined
    this.#retryMs = RETRY_FIRST_MS
    this.#idleSinceMs = this.#nowMs()
    this.#number = firstNumber(this.#start.operation, this.#numberNow())
    const nowMs = this.#nowMs()
    for (const request of this.#again.splice(0)) this.#send(request, nowMs)
    const { work } = this.#start
    if (work === undefined) return
    for (const request of firstDataRequests(work)) this.#send(request, nowMs)
  }

  get #isPatient(): boolean {
    return this.#start.manner === 'ioredis'
  }

  /**
   * Requests that a steady rate missed meanwhile are skipped: sending them now would be a burst.
   */
  #numberNow(): number {
    const { pace } = this.#start
    if (pace.kind === 'think' || this.#isPatient) return this.#number
    const passedMs = this.#idleSinceMs - this.#bornAtMs
    return Math.ceil((passedMs * pace.perSecond) / 1_000)
  }

  #request(nowMs: number): void {
    this.#send(this.#nextRequest(), nowMs)
    this.#number++
  }

  #nextRequest(): ClientRequest {
    const { operation, work, shell, rng } = this.#start
    const [due, ...later] = this.#course
    this.#course = later
    if (due !== undefined) return due
    const isAlone = this.#unanswered.length === 0
    if (operation === 'shared') {
      assert(rng !== undefined, 'a client of shared keys draws what it asks')
      const unique = `${this.#owner}:${this.#number}`
      const drawing = { rng, unique, nowMs: shell.now().wallMs, isAlone }
      const [first, ...rest] = sharedRequestsOf(drawing)
      assert(first !== undefined, 'a client always asks something')
      this.#course = rest
      return first
    }
    if (operation !== 'data') return requestOf(operation, this.#owner, this.#number)
    assert(work !== undefined, 'a client that works on data has databases of its own')
    assert(this.#scans !== undefined, 'and scans them')
    const asides = { scans: this.#scans, news: this.#news, flushes: this.#flushes }
    return dataRequestOf(work, asides, { life: shell.life, number: this.#number, isAlone })
  }

  #send(request: ClientRequest, nowMs: number): void {
    const { log } = this.#start
    const operation = request.kind === 'read' ? undefined : request.operation
    const write = operation === undefined ? undefined : log.attempted(this.#by, operation)
    const read = request.kind === 'read' ? log.readAttempted(this.#by, request.key) : undefined
    const question = this.#questionOf(request, write)
    const commands = [...commandsOf(request), ...waitFor(this.#start.wait)]
    const repliesLeft = commands.length
    const asked = { request, write, read, question, repliesLeft, isMisdirected: false }
    this.#unanswered.push({ atMs: nowMs, ...asked, beforeWait: undefined })
    for (const argv of commands) this.#master?.send(argv)
  }

  #questionOf(request: ClientRequest, write: Write | undefined): Question | undefined {
    if (request.kind !== 'data') return undefined
    const connection = this.#start.shell.life * CONNECTIONS_PER_LIFE + this.#connections
    return this.#start.log.asked(this.#by, { connection, request: request.request, write })
  }

  /** The last reply to a request is its answer: EXEC's, to a transaction. */
  #answered(reply: Reply): void {
    const [asked] = this.#unanswered
    if (asked === undefined) return this.#giveUp()
    // The proxy does not know what became of it, and so nor does the application.
    if (reply.kind === 'error' && reply.text.startsWith('UNANSWERED')) return this.#giveUp()
    asked.repliesLeft--
    if (reply.kind === 'error' && reply.text.startsWith('READONLY')) asked.isMisdirected = true
    if (asked.repliesLeft > 0) {
      asked.beforeWait = reply
      return
    }
    this.#unanswered.shift()
    if (this.#start.wait === undefined) this.#concluded(asked, reply)
    else this.#waited(asked, reply)
  }

  /** Too few replicas have it: what becomes of the write is unknown. */
  #waited(asked: Asked, counted: Reply): void {
    const { wait = 0, log, pace } = this.#start
    if (isEnough(counted, wait) && asked.beforeWait !== undefined)
      return this.#concluded(asked, asked.beforeWait)
    if (asked.beforeWait?.kind === 'error') return this.#concluded(asked, asked.beforeWait)
    if (pace.kind === 'think') this.#idleSinceMs = this.#nowMs()
    if (asked.write !== undefined) log.lostSight(asked.write)
  }

  #concluded(asked: Asked, reply: Reply): void {
    if (asked.question !== undefined) this.#told(asked.question, plainOf(reply))
    if (this.#start.pace.kind === 'think') this.#idleSinceMs = this.#nowMs()
    if (reply.kind !== 'error') return this.#succeeded(asked, reply)
    // Whatever its key shows, a watch ends with its transaction: on this connection it would hinder the next one.
    if (isWatch(asked.request)) this.#course = []
    if (asked.write !== undefined) this.#start.log.refused(asked.write, reply.text, this.#heardFrom)
    // A demoted master: the address may be right and the role wrong, so look again. A node that
    // refuses for another reason (it is loading, it has too few replicas) may still be the master.
    if (asked.isMisdirected) this.#giveUp()
  }

  #told(question: Question, told: Told): void {
    this.#start.log.told(question, told)
    this.#scans?.answered(question.request, told)
  }

  #succeeded({ request, write, read }: Asked, reply: Reply): void {
    const { log } = this.#start
    this.#retryMs = RETRY_FIRST_MS
    if (write !== undefined && isVain(request, reply))
      return log.refused(write, VAIN, this.#heardFrom)
    if (read !== undefined) log.readAnswered(read, numberIn(reply))
    if (write !== undefined) log.acknowledged(write, valueAfter(write, reply), this.#heardFrom)
  }

  get #heardFrom(): string | undefined {
    return this.#start.heardFrom?.()
  }

  /**
   * This master is of no use: asks the Sentinels again, soon at first and then less and less often.
   */
  #giveUp(): void {
    this.#dropMaster()
    this.#retryAtMs = this.#nowMs() + this.#retryMs
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS)
  }

  #dropMaster(): void {
    this.#master?.close()
    this.#master = undefined
    this.#isReady = false
    this.#course = []
    this.#scans?.disconnected()
    this.#roleDueMs = undefined
    for (const { write } of this.#unanswered) {
      if (write !== undefined) this.#start.log.lostSight(write)
    }
    if (this.#isPatient) this.#again.unshift(...this.#unanswered.map(({ request }) => request))
    this.#unanswered = []
  }

  #answerDueMs(): number | undefined {
    const oldest = this.#isPatient ? undefined : this.#unanswered[0]
    return oldest === undefined ? this.#roleDueMs : oldest.atMs + ANSWER_TIMEOUT_MS
  }

  /** When the next request is due; undefined: not before an answer has come. */
  #nextRequestMs(): number | undefined {
    if (!this.#isReady) return undefined
    const { pace } = this.#start
    if (this.#course.length > 0 && this.#unanswered.length > 0) return undefined
    if (pace.kind === 'rate') {
      const first = this.#number - (this.#number % pace.pipeline)
      return this.#bornAtMs + Math.ceil((first * 1_000) / pace.perSecond)
    }
    if (this.#unanswered.length > 0) return undefined
    return this.#idleSinceMs + Math.max(pace.ms, THINK_MIN_MS)
  }

  #nowMs(): number {
    return this.#start.shell.now().monoMs
  }
}

function asidesOf({ work, nodes, ...start }: ClientStart): SideLooks | undefined {
  if (work === undefined || nodes === undefined) return undefined
  const { databases, rng } = work
  const { shell, group, log, password } = start
  return new SideLooks({
    ...{ shell, group, log, password },
    ...{ nodes, databases, rng: rng.fork('looks beside') },
  })
}

function halfClosesOf(start: ClientStart): HalfCloses | undefined {
  const { shell, password, nodes, proxy, rng, tellUnanswered: tell } = start
  if (nodes === undefined || rng === undefined || tell === undefined) return undefined
  const own = rng.fork('half closes')
  const place = () => proxy ?? own.pick(nodes())
  return new HalfCloses({ shell, place, rng: own, password, tell })
}

/** Behind a proxy one connection leads to several nodes, so that messages have no order. */
function newsOf({ work, nodes, proxy, ...start }: ClientStart): NewsCourse | undefined {
  if (work === undefined || nodes === undefined || proxy !== undefined) return undefined
  const { shell, group, log, password } = start
  return new NewsCourse({ shell, group, log, password, nodes, rng: work.rng.fork('news') })
}
