/**
 * The end of the heap. A runtime that finds no room for data it must keep ends the process, whatever the cause;
 * without a file that is the end of the data as well. So the node keeps away from there:
 *
 *      0 ──────────────── 70 % ── 75 % ────────── 90 % ── 93 % ── limit
 *                      taken again  refused    collected   nothing more is loaded or followed
 *
 * Used memory is data and garbage, and only a collection can tell them apart. What counts is what the last
 * collection left (`live`), plus what connections have made us keep since. From 75 % on we close the
 * connections that make us keep the most, and if that does not help, we refuse commands that need memory with
 * -OOM. Above 90 % it may all be garbage: it is collected before any command is refused, so a node that often
 * overwrites little data never refuses writes. Data kept this way can be loaded again: loading goes on up to 93
 * %.
 *
 * While writes are refused, clients make room with DEL or by disconnecting, and nothing is allocated that would
 * make the runtime collect: then we ask it to, less often the longer a collection takes.
 */
import type { Moment } from '../../base/clock.ts'
import type { CommandInfo } from '../catalogue/command-info.ts'
import type { CommandTraits } from '../catalogue/command-traits.ts'
import type { NodeStats } from '../info/stats.ts'
import type { HeapMeter, HeapReading, NodePort } from '../port.ts'
import { heldBytes } from '../sessions/held-bytes.ts'
import type { ClientSession } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'

export const REFUSE_SHARE = 0.75
const RESUME_SHARE = 0.7
const COLLECT_SHARE = 0.9
/** Below this share nothing is added up. */
const QUIET_SHARE = 0.6
const FULL_SHARE = 0.93
/** Beyond `FULL_SHARE`, this much is allocated between two attempts to find room. */
const BRINK_SHARE = 0.95
/** How much connections may hold without any of them being closed. */
const CLIENTS_SHARE = 1 / 16
/**
 * How much they may hold however empty the heap is. Answers that share a value take no heap for it, but
 * take all of their size in memory outside the heap once they are being sent.
 */
const CLIENTS_MAX_SHARE = 1 / 2
/** The longest value: several copies of it exist while it is received, kept and passed on. */
export const VALUE_SHARE = 1 / 8

/** After this much input and output we look again. */
const LOOK_BYTES = 256 * 1024
const LOOK_PERIOD_MS = 100
/** Collections may take one part in this many of the time. */
const COLLECT_PATIENCE = 10
const COLLECT_PERIOD_MS = 1000
/** Closing smaller connections frees too little. */
const WORTH_CLOSING_BYTES = 16 * 1024

const MIB = 1024 * 1024

interface GuardedNode {
  readonly port: NodePort
  readonly stats: NodeStats
  readonly now: Moment
}

interface Holder {
  readonly session: ClientSession
  readonly bytes: number
}

export class HeapGuard {
  /** How much is kept for a replica besides what its connection has not taken. */
  heldForReplica: (session: ClientSession) => number = () => 0
  readonly #node: GuardedNode
  readonly #sessions: Sessions
  #isRefusing = false
  #bytesSinceLook = 0
  /** How much was sent since we last added up what connections hold. */
  #sentBytes = 0
  #nextLookMs = 0
  /** The collection that `#heldThen` and `#shedBytes` refer to. */
  #collections = -1
  /** How much connections held when that collection was over. */
  #heldThen = 0
  /** How much was held by connections closed since. */
  #shedBytes = 0
  /** How many changes and departures there were up to the last collection we asked for. */
  #releasesThen = 0
  #nextCollectionMs = 0

  constructor(node: GuardedNode, sessions: Sessions) {
    this.#node = node
    this.#sessions = sessions
  }

  /** Asked each time: a simulated process has a meter once a fault has touched its memory. */
  #meter(): HeapMeter | undefined {
    return this.#node.port.heap
  }

  /** Whether commands that need memory are refused. */
  get isRefusing(): boolean {
    return this.#isRefusing
  }

  /** Undefined if there is no meter. */
  get reading(): HeapReading | undefined {
    return this.#meter()?.read()
  }

  /**
   * A command that needs memory is about to run. Most add what was sent, which is counted; what others add is
   * noticed before the next command.
   */
  refuses({ growsMuch, traits }: CommandInfo, argv: readonly string[]): boolean {
    const meter = this.#meter()
    if (!growsMuch || meter === undefined) return this.#isRefusing
    this.#look(meter, 0, VALUE_SHARE)
    return this.#isRefusing || !this.#hasRoomFor(meter, stretchedBytes(traits, argv))
  }

  /** For a value that exists twice while it is made. */
  #hasRoomFor(meter: HeapMeter, bytes: number): boolean {
    if (bytes < MIB) return true
    const { limitBytes, usedBytes } = meter.read()
    if (limitBytes === 0 || usedBytes + 2 * bytes < FULL_SHARE * limitBytes) return true
    // Beyond the longest value the command itself refuses.
    if (bytes > VALUE_SHARE * limitBytes) return true
    this.#collect(meter)
    return meter.read().usedBytes + 2 * bytes < FULL_SHARE * limitBytes
  }

  /** This much came in. */
  received(bytes: number): void {
    const meter = this.#meter()
    if (meter === undefined) return
    this.#bytesSinceLook += bytes
    if (this.#bytesSinceLook >= LOOK_BYTES) this.#look(meter, 0)
  }

  /** This much is about to be written to a connection, which may not take it. */
  sending(bytes: number): void {
    const meter = this.#meter()
    if (meter === undefined) return
    this.#bytesSinceLook += bytes
    this.#sentBytes += bytes
    if (this.#bytesSinceLook >= LOOK_BYTES) this.#look(meter, bytes)
  }

  /**
   * Why no more can be loaded, copied or followed, as half a sentence; undefined if there is room. Asked
   * with every piece. `doneShare`: how much of everything to come is already here.
   */
  fullness(doneShare = 1): string | undefined {
    const meter = this.#meter()
    if (meter === undefined) return undefined
    const { usedBytes, limitBytes } = meter.read()
    if (limitBytes === 0 || usedBytes < BRINK_SHARE * limitBytes) return undefined
    // What is freed outside the heap may be counted as freed only when the next collection begins.
    for (let attempt = 0; attempt < 2; attempt++) {
      this.#collect(meter)
      if (meter.read().usedBytes < FULL_SHARE * limitBytes) return undefined
    }
    const after = meter.read()
    const full = `${mib(after.usedBytes)} of the heap's ${mib(limitBytes)} MB are in use`
    const neededBytes = after.usedBytes / Math.max(doneShare, 0.01) / REFUSE_SHARE
    return doneShare < 1 ? `${full}, and all of it needs about ${mib(neededBytes)} MB` : full
  }

  /** MEMORY PURGE: collects garbage, unless that was done a moment ago. */
  purge(): void {
    const meter = this.#meter()
    if (meter === undefined || this.#node.now.monoMs < this.#nextCollectionMs) return
    this.#collect(meter)
  }

  wake(nowMs: number): void {
    const meter = this.#meter()
    if (meter !== undefined && nowMs >= this.#nextLookMs) this.#look(meter, 0)
  }

  /** Monotonic; undefined if no limit is known. */
  nextWakeUpMs(): number | undefined {
    const meter = this.#meter()
    return meter === undefined ? undefined : this.#nextLookMs
  }

  /**
   * `comingBytes`: what will be in use in addition in a moment. `growthShare`: a possible growth, which is
   * no reason to refuse but requires knowing how much is garbage.
   */
  #look(meter: HeapMeter, comingBytes: number, growthShare = 0): void {
    this.#bytesSinceLook = 0
    this.#nextLookMs = this.#node.now.monoMs + LOOK_PERIOD_MS
    const { limitBytes, usedBytes } = meter.read()
    if (limitBytes === 0) return
    const growthBytes = growthShare * limitBytes
    const isQuiet = !this.#isRefusing && usedBytes + comingBytes < QUIET_SHARE * limitBytes
    const mostBytes = CLIENTS_MAX_SHARE * limitBytes
    if (isQuiet && this.#sentBytes < mostBytes / 2) return
    this.#sentBytes = 0
    const holders = this.#holders()
    const heldNow = holders.reduce((sum, { bytes }) => sum + bytes, 0)
    if (heldNow + comingBytes > mostBytes) {
      const allowedBytes = mostBytes / 2
      this.#shed(holders, heldNow, { excessBytes: heldNow - allowedBytes, allowedBytes })
    }
    if (this.#mustCollect(meter.read(), comingBytes + growthBytes)) this.#collect(meter)
    const liveBytes = this.#live(meter.read(), heldNow) + comingBytes
    const aimBytes = RESUME_SHARE * limitBytes
    const isFull = liveBytes >= (this.#isRefusing ? RESUME_SHARE : REFUSE_SHARE) * limitBytes
    if (!isFull) return this.#take(limitBytes)
    const allowedBytes = CLIENTS_SHARE * limitBytes
    const shedBytes = this.#shed(holders, heldNow, {
      excessBytes: liveBytes - aimBytes,
      allowedBytes,
    })
    if (liveBytes - shedBytes < aimBytes) this.#take(limitBytes)
    else this.#refuse(liveBytes - shedBytes, limitBytes)
  }

  /** How much is not garbage, as far as we know. */
  #live({ usedBytes, collectedBytes, collections }: HeapReading, heldNow: number): number {
    if (collections !== this.#collections) {
      this.#collections = collections
      this.#heldThen = heldNow
      this.#shedBytes = 0
    }
    const since = Math.max(0, heldNow + this.#shedBytes - this.#heldThen)
    return Math.min(usedBytes, collectedBytes + since) - this.#shedBytes
  }

  #mustCollect(
    { usedBytes, collectedBytes, limitBytes }: HeapReading,
    comingBytes: number,
  ): boolean {
    const isDoubtful = collectedBytes < REFUSE_SHARE * limitBytes
    if (usedBytes + comingBytes >= COLLECT_SHARE * limitBytes && isDoubtful) return true
    const hasReleased = this.#releases !== this.#releasesThen
    return this.#isRefusing && hasReleased && this.#node.now.monoMs >= this.#nextCollectionMs
  }

  #collect(meter: HeapMeter): void {
    const tookMs = meter.collect()
    this.#releasesThen = this.#releases
    const waitMs = Math.max(COLLECT_PERIOD_MS, COLLECT_PATIENCE * tookMs)
    this.#nextCollectionMs = this.#node.now.monoMs + waitMs
  }

  /** Events that may have made room. */
  get #releases(): number {
    const { changes, expiredKeys, expiredFields, evictedClients, closedClients } = this.#node.stats
    return changes + expiredKeys + expiredFields + evictedClients + closedClients
  }

  #holders(): Holder[] {
    const found: Holder[] = []
    for (const session of this.#sessions) {
      const besides = session.kind === 'replica' ? this.heldForReplica(session) : 0
      const queued = this.#node.port.queuedBytes(session.id)
      found.push({ session, bytes: heldBytes(session, queued) + besides })
    }
    return found
  }

  /**
   * Closes the connections that hold the most until there is room, or what is left may stay. Returns how
   * much that frees. Replicas go last, and before them the clients that said CLIENT NO-EVICT.
   */
  #shed(
    holders: Holder[],
    heldNow: number,
    { excessBytes, allowedBytes }: { excessBytes: number; allowedBytes: number },
  ): number {
    holders.sort((a, b) => rank(a.session) - rank(b.session) || b.bytes - a.bytes)
    let freed = 0
    for (const { session, bytes } of holders) {
      if (freed >= excessBytes || heldNow - freed <= allowedBytes) break
      if (bytes < WORTH_CLOSING_BYTES || session.isClosing) continue
      freed += bytes
      this.#close(session, bytes)
    }
    this.#shedBytes += freed
    return freed
  }

  #close(session: ClientSession, bytes: number): void {
    const { stats, port } = this.#node
    const { remoteHost, remotePort } = session.ends
    stats.evictedClients++
    port.log(
      'warning',
      `client ${session.id} (${remoteHost}:${remotePort}) closed: memory is short, and it holds ` +
        `${mib(bytes)} MB, more than others (last command: ${session.lastCommand})`,
    )
    this.#sessions.cutOff(session)
  }

  #refuse(liveBytes: number, limitBytes: number): void {
    if (this.#isRefusing) return
    this.#isRefusing = true
    const full = `${mib(liveBytes)} of the heap's ${mib(limitBytes)} MB are in use`
    this.#node.port.log(
      'warning',
      `commands that need memory are refused (-OOM) from now on: ${full}. Delete keys, or start with ` +
        'a larger heap: NODE_OPTIONS=--max-old-space-size=<MB>',
    )
  }

  #take(limitBytes: number): void {
    if (!this.#isRefusing) return
    this.#isRefusing = false
    this.#node.port.log(
      'warning',
      `commands that need memory are taken again: less than ${Math.round(RESUME_SHARE * 100)} % of the ` +
        `heap's ${mib(limitBytes)} MB are in use`,
    )
  }
}

function rank({ kind, noEvict }: ClientSession): number {
  if (kind === 'replica') return 2
  return noEvict ? 1 : 0
}

/** How long a string becomes that a command writes to far behind its end; 0 for all others. */
function stretchedBytes({ stretchesBy }: CommandTraits, argv: readonly string[]): number {
  if (stretchesBy === undefined) return 0
  // BITFIELD counts in `#n` or in bits, and widths are small.
  let last = 0
  for (const word of argv.slice(2)) {
    const number = Number(word.replace('#', ''))
    if (number > last) last = number
  }
  return stretchesBy === 'bytes' ? last : Math.ceil(last / 8)
}

function mib(bytes: number): number {
  return Math.round(bytes / MIB)
}
