/**
 * A simulated application: it finds its master through the Sentinels, checks with ROLE that it got
 * one, and writes numbered keys at a steady rate, each once. What it was promised, refused or never
 * told goes to the write log. It gives a silent master up after a while and looks for another one.
 */
import type { Reply } from '../resp/reply.ts'
import { Exchange } from './exchange.ts'
import type { Address } from './happening.ts'
import { MasterLookup } from './master-lookup.ts'
import type { Process, Program } from './process.ts'
import type { OperationKind, Pace } from './topology.ts'
import type { Write, WriteLog } from './write-log.ts'

const CONNECT_TIMEOUT_MS = 1_000
const ANSWER_TIMEOUT_MS = 1_000
const RETRY_FIRST_MS = 20
const RETRY_MAX_MS = 500

export interface ClientStart {
  readonly process: Process
  readonly group: string
  readonly sentinels: readonly Address[]
  readonly operation: OperationKind
  readonly pace: Pace
  readonly log: WriteLog
}

export class ClientProgram implements Program {
  readonly #start: ClientStart
  readonly #lookup: MasterLookup
  readonly #bornAtMs: number
  #master: Exchange | undefined
  /** Name of the node behind it. */
  #node = ''
  #isReady = false
  /** Writes without an answer, oldest first. */
  #unanswered: Write[] = []
  #written = 0
  #retryMs = RETRY_FIRST_MS
  /** Monotonic: when to look for a master again. */
  #retryAtMs: number | undefined
  #roleDueMs: number | undefined

  constructor(start: ClientStart) {
    this.#start = start
    this.#bornAtMs = start.process.now().monoMs
    const { process, group, sentinels } = start
    this.#lookup = new MasterLookup({
      process,
      group,
      sentinels,
      named: (address) => this.#named(address),
    })
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
    while (this.#isReady && nowMs >= this.#nextWriteMs()) this.#write()
  }

  nextWakeUpMs(): number | undefined {
    const writeMs = this.#isReady ? this.#nextWriteMs() : undefined
    const ownMs = earlier(writeMs, this.#answerDueMs())
    return earlier(ownMs, earlier(this.#retryAtMs, this.#lookup.dueMs))
  }

  stopRequested(): void {
    this.#start.process.kill()
  }

  #named(address: Address): void {
    const current = this.#master?.address
    if (current?.host === address.host && current.port === address.port) return
    this.#dropMaster()
    this.#retryAtMs = undefined
    this.#roleDueMs = this.#nowMs() + CONNECT_TIMEOUT_MS
    this.#node = this.#start.log.nameOf(address)
    const exchange = new Exchange(this.#start.process, address, CONNECT_TIMEOUT_MS, {
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
    // What could not be written meanwhile is not made up for: load is steady, not a burst.
    const passedMs = this.#nowMs() - this.#bornAtMs
    this.#written = Math.ceil((passedMs * this.#perSecond) / 1_000)
  }

  #write(): void {
    const { process, group, log } = this.#start
    if (this.#master === undefined) return
    const key = `${process.name}:${process.life}:${this.#written}`
    this.#written++
    const by = { client: process.name, group, node: this.#node }
    this.#unanswered.push(log.attempted(by, { kind: 'key', key }))
    this.#master.send(['SET', key, key])
  }

  #answered(reply: Reply): void {
    const write = this.#unanswered.shift()
    if (write === undefined) return this.#giveUp()
    if (reply.kind !== 'error') {
      this.#retryMs = RETRY_FIRST_MS
      return this.#start.log.acknowledged(write)
    }
    this.#start.log.refused(write, reply.text)
    // A demoted master: the address may be right and the role wrong, so look again.
    if (reply.text.startsWith('READONLY')) this.#giveUp()
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
    for (const write of this.#unanswered) this.#start.log.lostSight(write)
    this.#unanswered = []
  }

  #answerDueMs(): number | undefined {
    const oldest = this.#unanswered[0]
    if (oldest === undefined) return this.#roleDueMs
    return this.#start.process.clock.momentAt(oldest.attemptedAtMs).monoMs + ANSWER_TIMEOUT_MS
  }

  #nextWriteMs(): number {
    return this.#bornAtMs + Math.ceil((this.#written * 1_000) / this.#perSecond)
  }

  get #perSecond(): number {
    const { pace } = this.#start
    return pace.kind === 'rate' ? pace.perSecond : 1_000 / pace.ms
  }

  #nowMs(): number {
    return this.#start.process.now().monoMs
  }
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
