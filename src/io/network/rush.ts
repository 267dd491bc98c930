/**
 * The order in which clients are read while many come. Node accepts one connection each time that it has looked at all
 * sockets. If everybody who is connected were served in between, a thousand clients that come at once (to a new master,
 * after a failover) would wait for each other's requests a thousand times over, and the last of them for many seconds.
 * So everybody stands in one line then, the new ones too, and a few are read each time; more and more when nobody comes.
 */
import { REAL_TIMERS } from '../process/timers.ts'

/** How many are read between two connections. Once no more come, as many more each time. */
const READERS = 4
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
  /** Since somebody came the last time. */
  #looks = LOOKS
  #isLooking = false
  #isOn = false

  constructor(read: (client: Client) => void) {
    this.#read = read
  }

  /** Whether whoever has been read has to stand in line. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** A new client, which is not read yet. */
  comes(client: Client): void {
    if (this.#looks < LOOKS) this.#isOn = true
    this.#hasCome = true
    this.standsInLine(client)
  }

  standsInLine(client: Client): void {
    this.#line.push(client)
    if (!this.#isLooking) this.#lookAgain()
  }

  #lookAgain(): void {
    this.#isLooking = true
    REAL_TIMERS.setImmediate(() => this.#look())
  }

  #look(): void {
    this.#looks = this.#hasCome ? 0 : this.#looks + 1
    this.#hasCome = false
    if (this.#looks >= LOOKS) this.#isOn = false
    for (const client of this.#line.splice(0, READERS * (1 + this.#looks))) this.#read(client)
    if (this.#looks < LOOKS || this.#line.length > 0) this.#lookAgain()
    else this.#isLooking = false
  }
}
