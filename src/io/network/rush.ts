/**
 * The order in which clients are read while many come. Node accepts one connection each time that it has looked at all
 * sockets. If everybody who is connected were served in between, a thousand clients that come at once (to a new master,
 * after a failover) would wait for each other's requests a thousand times over, and the last of them for many seconds.
 * So whoever has been read stands in one line then, and a few are read each time; more and more when nobody comes.
 * Newcomers do not: the first request of each is read as soon as it is there, since no more than one comes each time.
 */
import { REAL_TIMERS } from '../process/timers.ts'

/** How many are read between two connections. Once no more come, as many more each time. */
const READERS = 2
/**
 * It is a rush when two come within so many looks at the sockets. Time says less: the longer a look takes, the more
 * may be waiting. A client that comes now and then must not cost the others anything.
 */
const LOOKS = 16

export class Rush<Client> {
  readonly #read: (client: Client) => void
  /** Not read until it is their turn; the longest wait comes first. */
  #line: Client[] = []
  /** Since the last look. */
  #hasCome = false
  /** Read since the last look. */
  #reads = 0
  /** Since somebody came the last time. */
  #looks = LOOKS
  #isLooking = false
  #isOn = false

  constructor(read: (client: Client) => void) {
    this.#read = read
  }

  comes(): void {
    if (this.#looks < LOOKS) this.#isOn = true
    this.#hasCome = true
    if (!this.#isLooking) this.#lookAgain()
  }

  /** A client has been read. Whether it must not be read again until it is its turn. */
  standsInLine(client: Client): boolean {
    if (!this.#isOn) return false
    // If nobody waits, a few may stay where they are.
    if (this.#line.length === 0 && ++this.#reads <= READERS) return false
    this.#line.push(client)
    return true
  }

  #lookAgain(): void {
    this.#isLooking = true
    REAL_TIMERS.setImmediate(() => this.#look())
  }

  #look(): void {
    this.#looks = this.#hasCome ? 0 : this.#looks + 1
    this.#hasCome = false
    this.#reads = 0
    if (this.#looks >= LOOKS) this.#isOn = false
    for (const client of this.#line.splice(0, READERS * (1 + this.#looks))) this.#read(client)
    if (this.#looks < LOOKS || this.#line.length > 0) this.#lookAgain()
    else this.#isLooking = false
  }
}
