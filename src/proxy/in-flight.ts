/**
 * What a client has asked and not yet been told, in the order in which it has to be told. Usually that is the
 * order in which the master answers. After a switch some of it is asked again, and what has been answered
 * meanwhile waits behind it.
 */
import type { Asked } from './asked.ts'

export class InFlight {
  /** What the client waits for, the oldest first. */
  #asked: Asked[] = []
  #firstAsked = 0
  /** What the present server owes, in its order. */
  #open: Asked[] = []
  #firstOpen = 0
  #bytes = 0
  #again = 0

  get size(): number {
    return this.#asked.length - this.#firstAsked
  }

  get openSize(): number {
    return this.#open.length - this.#firstOpen
  }

  /** What is kept of the commands and of answers that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** The next in the client's order. */
  get head(): Asked | undefined {
    return this.#asked[this.#firstAsked]
  }

  /** What the server answers next. */
  get next(): Asked | undefined {
    return this.#open[this.#firstOpen]
  }

  some(isSuch: (asked: Asked) => boolean): boolean {
    return this.#asked.slice(this.#firstAsked).some(isSuch)
  }

  add(asked: Asked): void {
    this.#asked.push(asked)
    this.#bytes += (asked.bytes?.length ?? 0) + asked.answer.length
    if (asked.state === 'open') this.#open.push(asked)
  }

  /** The server has given all replies to `next`. */
  closeNext(): void {
    this.#firstOpen++
    if (this.#firstOpen === this.#open.length) {
      this.#open = []
      this.#firstOpen = 0
    } else if (this.#firstOpen > COMPACT_AT) {
      this.#open = this.#open.slice(this.#firstOpen)
      this.#firstOpen = 0
    }
  }

  /** The client has its answer to `head`. */
  dropHead(): void {
    const head = this.head
    if (head === undefined) return
    this.#bytes -= (head.bytes?.length ?? 0) + head.answer.length
    this.#firstAsked++
    if (this.#firstAsked === this.#asked.length) {
      this.#asked = []
      this.#firstAsked = 0
    } else if (this.#firstAsked > COMPACT_AT) {
      this.#asked = this.#asked.slice(this.#firstAsked)
      this.#firstAsked = 0
    }
  }

  keep(asked: Asked, answer: string): void {
    asked.answer += answer
    this.#bytes += answer.length
  }

  /** Its answer is this, whatever a server may have said. */
  tell(asked: Asked, answer: string): void {
    this.#bytes += answer.length - asked.answer.length
    asked.answer = answer
    asked.state = 'told'
  }

  /** It has to be sent anew. */
  askAgain(asked: Asked): void {
    asked.state = 'again'
    this.#again++
  }

  /** How many have to be sent anew. */
  get againSize(): number {
    return this.#again
  }

  /** The server is gone: what it still owed, in order. */
  takeOpen(): readonly Asked[] {
    const open = this.#open.slice(this.#firstOpen)
    this.#open = []
    this.#firstOpen = 0
    return open
  }

  /** What has to be sent anew, in order. It counts as open from now on. */
  takeAgain(): readonly Asked[] {
    const again = this.takeBack()
    for (const asked of again) {
      asked.state = 'open'
      this.#open.push(asked)
    }
    return again
  }

  /** What has to be sent anew, and will not be. */
  takeBack(): readonly Asked[] {
    if (this.#again === 0) return []
    this.#again = 0
    return this.#asked.slice(this.#firstAsked).filter(({ state }) => state === 'again')
  }
}

const COMPACT_AT = 1_024
