/**
 * An application: it finds its master through the Sentinels, checks with ROLE that it got one, and
 * does its work there, at a steady rate or one request after the other. What it was promised, refused
 * or never told goes to the write log. It gives a silent master up after a while and looks for another.
 */
import type { Reply } from '../resp/reply.ts'
import { firstNumber, numberIn, requestOf } from './client-request.ts'
import { Exchange } from './exchange.ts'
import type { Address } from './happening.ts'
import { MasterLookup } from './master-lookup.ts'
import type { Program } from './process.ts'
import type { Shell } from './shell.ts'
import type { OperationKind, Pace } from './topology.ts'
import type { By, OpenRead, Write, WriteSink } from './write-log.ts'

const CONNECT_TIMEOUT_MS = 1_000
const ANSWER_TIMEOUT_MS = 1_000
const RETRY_FIRST_MS = 20
const RETRY_MAX_MS = 500
/** A client without any pause would never let virtual time pass beside its master. */
const THINK_MIN_MS = 1

export interface ClientStart {
  readonly shell: Shell
  readonly group: string
  readonly sentinels: readonly Address[]
  readonly operation: OperationKind
  readonly pace: Pace
  readonly log: WriteSink
}

/** A request without an answer. */
interface Asked {
  /** Monotonic, of our own clock. */
  readonly atMs: number
  readonly write: Write | undefined
  readonly read: OpenRead | undefined
}

export class ClientProgram implements Program {
  readonly #start: ClientStart
  readonly #lookup: MasterLookup
  readonly #owner: string
  readonly #bornAtMs: number
  #master: Exchange | undefined
  /** We, and the node behind the connection. */
  #by: By
  #isReady = false
  /** Oldest first. */
  #unanswered: Asked[] = []
  /** Of the next request. With a steady rate it tells when that is due. */
  #number = 0
  /** Monotonic: when the answer to the previous request, or the connection, was there. */
  #idleSinceMs = 0
  #retryMs = RETRY_FIRST_MS
  /** Monotonic: when to look for a master again. */
  #retryAtMs: number | undefined
  #roleDueMs: number | undefined

  constructor(start: ClientStart) {
    this.#start = start
    const { shell, group, sentinels } = start
    this.#owner = `${shell.name}:${shell.life}`
    this.#bornAtMs = this.#nowMs()
    this.#by = { client: shell.name, group, node: '' }
    const named = (address: Address): void => this.#named(address)
    this.#lookup = new MasterLookup({ shell, group, sentinels, named })
    this.#lookup.ask()
  }

  wake(): void {
    const nowMs = this.#nowMs()
    this.#lookup.wake(nowMs)
    if (this.#retryAtMs !== undefined && nowMs >= this.#retryAtMs) {
      this.#retryAtMs = undefined
      this.#lookup.ask()
    }
    if (nowMs >= (this.#answerDueMs() ?? Number.POSITIVE_INFINITY)) this.#giveUp()
    while (nowMs >= (this.#nextRequestMs() ?? Number.POSITIVE_INFINITY)) this.#request(nowMs)
  }

  nextWakeUpMs(): number | undefined {
    const ownMs = earlier(this.#nextRequestMs(), this.#answerDueMs())
    return earlier(ownMs, earlier(this.#retryAtMs, this.#lookup.dueMs))
  }

  stopRequested(): void {
    this.#start.shell.exit()
  }

  #named(address: Address): void {
    const current = this.#master?.address
    if (current?.host === address.host && current.port === address.port) return
    this.#dropMaster()
    this.#retryAtMs = undefined
    this.#roleDueMs = this.#nowMs() + CONNECT_TIMEOUT_MS
    this.#by = { ...this.#by, node: this.#start.log.nameOf(address) }
    const exchange = new Exchange(this.#start.shell, address, CONNECT_TIMEOUT_MS, {
      connected: () => exchange.send(['ROLE']),
      replied: (reply) => this.#replied(reply),
      lost: () => this.#giveUp(),
    })
    this.#master = exchange
  }

  #replied(reply: Reply): void {
    if (this.#isReady) this.#answered(reply)
    else if (isMasterRole(reply)) this.#begin()
    else this.#giveUp()
  }

  #begin(): void {
    this.#isReady = true
    this.#roleDueMs = undefined
    this.#retryMs = RETRY_FIRST_MS
    this.#idleSinceMs = this.#nowMs()
    this.#number = firstNumber(this.#start.operation, this.#numberNow())
  }

  /** What a steady rate could not do meanwhile is not made up for: it is no burst. */
  #numberNow(): number {
    const { pace } = this.#start
    if (pace.kind === 'think') return this.#number
    const passedMs = this.#idleSinceMs - this.#bornAtMs
    return Math.ceil((passedMs * pace.perSecond) / 1_000)
  }

  #request(nowMs: number): void {
    const { operation, log } = this.#start
    const request = requestOf(operation, this.#owner, this.#number)
    this.#number++
    const isWrite = request.kind === 'write'
    const write = isWrite ? log.attempted(this.#by, request.operation) : undefined
    const read = isWrite ? undefined : log.readAttempted(this.#by, request.key)
    this.#unanswered.push({ atMs: nowMs, write, read })
    this.#master?.send(request.argv)
  }

  #answered(reply: Reply): void {
    const asked = this.#unanswered.shift()
    if (asked === undefined) return this.#giveUp()
    if (this.#start.pace.kind === 'think') this.#idleSinceMs = this.#nowMs()
    if (reply.kind !== 'error') return this.#succeeded(asked, reply)
    if (asked.write !== undefined) this.#start.log.refused(asked.write, reply.text)
    // A demoted master: the address may be right and the role wrong, so look again. Whatever else a
    // node refuses for (it loads, it has too few replicas), it may be the master all the same.
    if (reply.text.startsWith('READONLY')) this.#giveUp()
  }

  #succeeded({ write, read }: Asked, reply: Reply): void {
    const { log } = this.#start
    this.#retryMs = RETRY_FIRST_MS
    if (read !== undefined) log.readAnswered(read, numberIn(reply))
    if (write !== undefined) log.acknowledged(write, valueAfter(write, reply))
  }

  /** This master is of no use: ask again, soon at first and then more and more patiently. */
  #giveUp(): void {
    this.#dropMaster()
    this.#retryAtMs = this.#nowMs() + this.#retryMs
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS)
  }

  #dropMaster(): void {
    this.#master?.close()
    this.#master = undefined
    this.#isReady = false
    this.#roleDueMs = undefined
    for (const { write } of this.#unanswered) {
      if (write !== undefined) this.#start.log.lostSight(write)
    }
    this.#unanswered = []
  }

  #answerDueMs(): number | undefined {
    const oldest = this.#unanswered[0]
    return oldest === undefined ? this.#roleDueMs : oldest.atMs + ANSWER_TIMEOUT_MS
  }

  /** Undefined: not before something has come. */
  #nextRequestMs(): number | undefined {
    if (!this.#isReady) return undefined
    const { pace } = this.#start
    if (pace.kind === 'rate') {
      return this.#bornAtMs + Math.ceil((this.#number * 1_000) / pace.perSecond)
    }
    if (this.#unanswered.length > 0) return undefined
    return this.#idleSinceMs + Math.max(pace.ms, THINK_MIN_MS)
  }

  #nowMs(): number {
    return this.#start.shell.now().monoMs
  }
}

function valueAfter({ operation }: Write, reply: Reply): number | undefined {
  return operation.kind === 'increment' ? numberIn(reply) : undefined
}

function isMasterRole(reply: Reply): boolean {
  if (reply.kind !== 'array') return false
  const role = reply.items[0]
  return role?.kind === 'bulk' && role.bytes === 'master'
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}
