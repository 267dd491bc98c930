/** The scan of a client that works on data of its own: page by page, with other requests in between. */
import type { Rng } from '../../base/rng.ts'
import type { DataRequest } from '../../history/data/requests.ts'
import { type DrawnScan, drawScan, scanPageOf } from '../../history/data/scans.ts'
import type { Told } from '../../history/data/told.ts'

const BEGIN_ONE_IN = 25
/** One scan in this many has something to scan first. */
const CROWDED_ONE_IN = 2

interface OpenScan extends DrawnScan {
  /** No other scan of the client has it. */
  readonly token: string
  readonly cursor: string
}

/** Draws from a stream of its own, so that all other requests are as they would be without it. */
export class ScanCourse {
  readonly #rng: Rng
  #open: OpenScan | undefined
  #isWaiting = false
  #hasJustShown = false

  constructor(rng: Rng) {
    this.#rng = rng
  }

  /** Undefined: the client asks something else. `unique`: a number that no other request has. */
  next(unique: number): DataRequest | undefined {
    if (this.#isWaiting) return undefined
    if (this.#open !== undefined) return this.#goOn(this.#open, unique)
    if (!this.#rng.chance(1, BEGIN_ONE_IN)) return undefined
    const open = { ...drawScan(this.#rng), token: `${unique}`, cursor: '0' }
    this.#open = open
    return this.#rng.chance(1, CROWDED_ONE_IN) ? this.#change(open, unique) : this.#page(open)
  }

  answered({ scan }: DataRequest, told: Told): void {
    if (this.#open === undefined || scan !== this.#open.token) return
    this.#isWaiting = false
    const cursor = scanPageOf(told)?.cursor ?? '0'
    this.#open = cursor === '0' ? undefined : { ...this.#open, cursor }
  }

  /** A cursor means something to the node that gave it, and to no other. */
  disconnected(): void {
    this.#open = undefined
    this.#isWaiting = false
  }

  /** Never two pages in a row: in between the client goes on to write. */
  #goOn(open: OpenScan, unique: number): DataRequest | undefined {
    const isDue = !this.#hasJustShown
    this.#hasJustShown = false
    if (this.#rng.chance(1, 6)) return this.#change(open, unique)
    return isDue && this.#rng.chance(2, 3) ? this.#page(open) : undefined
  }

  #page(open: OpenScan): DataRequest {
    this.#isWaiting = true
    this.#hasJustShown = true
    const { words, cursor, count, token } = open
    return { commands: [[...words, cursor, 'COUNT', `${count}`]], form: 'command', scan: token }
  }

  #change({ change }: OpenScan, unique: number): DataRequest | undefined {
    if (change === undefined) return undefined
    return { commands: [change(this.#rng, unique)], form: 'command' }
  }
}
