/**
 * Looks up host names the way the C library does: hosts file, DNS, whatever the machine is configured
 * for. That blocks a thread for as long as a name server is silent, and Node has four, which it needs
 * for files too. So at most two names are looked up at once, equal questions share one lookup, and one
 * of the two places is reserved for names that were found quickly last time: a dead zone delays its own
 * names, not the others.
 */
import { lookup } from 'node:dns/promises'
import { reasonOf } from '../start-error.ts'

/** Returns an IP address, the one the C library puts first. */
export type HostLookup = (host: string) => Promise<string>

/** Half of Node's threads, the most that Node uses for this. */
const AT_ONCE = 2
/** A caller gets an answer by then, whatever becomes of the lookup. */
const PATIENCE_MS = 5_000
const QUICK_MS = 1_000
/** How many names may be under way or waiting, and how many are remembered as quick. */
const NAMES_MAX = 1_000

type Asker = (found: string | Error) => void

interface Lane {
  readonly host: string
  readonly askers: Set<Asker>
  isRunning: boolean
}

export class NameLookups {
  readonly #lookup: HostLookup
  /** By name; those that wait are in the order they came. */
  readonly #lanes = new Map<string, Lane>()
  readonly #quick = new Set<string>()

  constructor(lookupName: HostLookup = systemLookup) {
    this.#lookup = lookupName
  }

  /** Rejects with the reason if there is no address, or none within a few seconds. */
  resolve(host: string): Promise<string> {
    return new Promise((found, failed) => {
      const settle = (answer: string | Error) => {
        clearTimeout(timer)
        lane?.askers.delete(settle)
        if (typeof answer === 'string') found(answer)
        else failed(answer)
      }
      const lane = this.#laneOf(host)
      const late = new Error(`no name server has answered within ${PATIENCE_MS / 1_000} s`)
      const timer = setTimeout(() => settle(late), PATIENCE_MS)
      if (lane === undefined) return settle(new Error('too many host names are being looked up'))
      lane.askers.add(settle)
      this.#startSome()
    })
  }

  /** A name keeps its place in the queue when its callers have timed out: they will ask again. */
  #laneOf(host: string): Lane | undefined {
    const present = this.#lanes.get(host)
    if (present !== undefined) return present
    if (this.#lanes.size >= NAMES_MAX) return undefined
    const lane: Lane = { host, askers: new Set(), isRunning: false }
    this.#lanes.set(host, lane)
    return lane
  }

  #startSome(): void {
    const lanes = [...this.#lanes.values()]
    const running = lanes.filter((lane) => lane.isRunning)
    let free = AT_ONCE - running.length
    let freeForOthers = AT_ONCE - 1 - running.filter(({ host }) => !this.#quick.has(host)).length
    for (const lane of lanes) {
      const isQuick = this.#quick.has(lane.host)
      if (lane.isRunning || free <= 0 || (!isQuick && freeForOthers <= 0)) continue
      free--
      if (!isQuick) freeForOthers--
      this.#start(lane)
    }
  }

  #start(lane: Lane): void {
    lane.isRunning = true
    const startedAtMs = performance.now()
    const end = (answer: string | Error) => {
      this.#lanes.delete(lane.host)
      this.#judge(lane.host, performance.now() - startedAtMs)
      for (const asker of [...lane.askers]) asker(answer)
      this.#startSome()
    }
    this.#lookup(lane.host).then(end, (error: unknown) => end(new Error(reasonOf(error))))
  }

  #judge(host: string, tookMs: number): void {
    if (tookMs >= QUICK_MS) {
      this.#quick.delete(host)
      return
    }
    if (this.#quick.size >= NAMES_MAX) this.#quick.clear()
    this.#quick.add(host)
  }
}

/** Threads that are looking up a name now. */
let underWay = 0

/** How many of Node's threads look up a name at this moment. */
export function lookupsUnderWay(): number {
  return underWay
}

async function systemLookup(host: string): Promise<string> {
  underWay++
  try {
    const { address } = await lookup(host)
    return address
  } finally {
    underWay--
  }
}
