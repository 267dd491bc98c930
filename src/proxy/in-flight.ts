/**
 * What a client has asked and not yet been told, in the order in which it has to be told. Usually that is the
 * order in which the master answers. After a switch some of it is asked again, and what has been answered
 * meanwhile waits behind it.
 */
import type { Asked, CarriedTransaction } from './asked.ts'

/** Cuts a run into those of its commands that have no answer. */
export interface RunCutter {
  cut(run: Asked): readonly Asked[]
}

export class InFlight {
  /** What the client waits for, the oldest first. */
  readonly #asked = new Line()
  /** What the present server owes, in its order. */
  readonly #open = new Line()
  #size = 0
  #bytes = 0
  #again = 0

  /** In commands. */
  get size(): number {
    return this.#size
  }

  get openSize(): number {
    return this.#open.size
  }

  /** What is kept of the commands and of answers that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** The next in the client's order. */
  get head(): Asked | undefined {
    return this.#asked.head
  }

  /** What the server answers next. */
  get next(): Asked | undefined {
    return this.#open.head
  }

  some(isSuch: (asked: Asked) => boolean): boolean {
    return this.#asked.all().some(isSuch)
  }

  add(asked: Asked): void {
    this.#asked.push(asked)
    this.#size += asked.count
    this.#bytes += (asked.bytes?.length ?? 0) + asked.answer.length
    if (asked.state === 'open') this.#open.push(asked)
  }

  /** The server still owes answers to runs: in their place come those of their commands that it has not answered. */
  cutRuns(by: RunCutter): void {
    const cut = new Map<Asked, readonly Asked[]>()
    for (const run of this.#open.all()) {
      if (run.kind !== 'run') continue
      const commands = by.cut(run)
      cut.set(run, commands)
      this.#size += commands.length - run.count
      this.#bytes -= run.bytes?.length ?? 0
      for (const { bytes } of commands) this.#bytes += bytes?.length ?? 0
    }
    if (cut.size === 0) return
    this.#asked.replace(cut)
    this.#open.replace(cut)
  }

  /** The server has given all replies to `next`. */
  closeNext(): void {
    this.#open.shift()
  }

  /** The client has its answer to `head`. */
  dropHead(): void {
    const head = this.#asked.shift()
    if (head === undefined) return
    this.#size -= head.count
    this.#bytes -= (head.bytes?.length ?? 0) + head.answer.length
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
    const open = this.#open.all()
    this.#open.clear()
    return open
  }

  /** Something has to be sent anew that was given before this transaction began. */
  hasAgainBefore(transaction: CarriedTransaction | undefined): boolean {
    if (transaction === undefined || this.#again === 0) return false
    return this.some((asked) => asked.state === 'again' && asked.transaction !== transaction)
  }

  /** What has to be sent anew, in order, but for that of this transaction. It counts as open from now on. */
  takeAgain(but?: CarriedTransaction): readonly Asked[] {
    const isTaken = ({ state, transaction }: Asked) =>
      state === 'again' && (but === undefined || transaction !== but)
    const again = this.#again === 0 ? [] : this.#asked.all().filter(isTaken)
    this.#again -= again.length
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
    return this.#asked.all().filter(({ state }) => state === 'again')
  }
}

const COMPACT_AT = 1_024
/** A line that has been longer gives its places back once it is empty. */
const KEPT_PLACES = 32

/** First in, first out. An array that is filled and emptied again and again keeps its places. */
class Line {
  #items: (Asked | undefined)[] = []
  #first = 0
  #end = 0

  get size(): number {
    return this.#end - this.#first
  }

  get head(): Asked | undefined {
    return this.#end === this.#first ? undefined : this.#items[this.#first]
  }

  push(asked: Asked): void {
    this.#items[this.#end++] = asked
  }

  shift(): Asked | undefined {
    if (this.#end === this.#first) return undefined
    const head = this.#items[this.#first]
    this.#items[this.#first++] = undefined
    if (this.#first === this.#end) {
      this.#first = 0
      this.#end = 0
      if (this.#items.length > KEPT_PLACES) this.#items = []
    } else if (this.#first > COMPACT_AT) this.#set(this.all())
    return head
  }

  all(): Asked[] {
    return this.#items.slice(this.#first, this.#end).filter((asked) => asked !== undefined)
  }

  replace(by: ReadonlyMap<Asked, readonly Asked[]>): void {
    this.#set(this.all().flatMap((asked) => by.get(asked) ?? [asked]))
  }

  clear(): void {
    this.#set([])
  }

  #set(items: Asked[]): void {
    this.#items = items
    this.#first = 0
    this.#end = items.length
  }
}
