/**
 * A JSON document that is mostly one long list, made in slices: a thousand groups take tens of
 * milliseconds, and the machine has other things to do meanwhile. What is said of one item is of one
 * moment; two items may be some milliseconds apart.
 */
import { assert } from '../base/assert.ts'
import { soundUtf8 } from '../base/utf8.ts'

/** Some 10 KiB of groups with three nodes each. */
const SLICE_ITEMS = 4
const CLOSED = ']}'

export class SlicedList<Item> {
  readonly #waiting: Item[]
  readonly #pieces: string[] = []
  #isFirst = true

  /** `head`: an object whose last field is the list, empty so far. */
  constructor(head: object, items: Iterable<Item>) {
    const text = soundUtf8(JSON.stringify(head))
    assert(text.endsWith(`[${CLOSED}`), 'the list comes last')
    this.#waiting = [...items].reverse()
    this.#pieces.push(text.slice(0, -CLOSED.length))
  }

  /** Adds what `entryOf` says of some items; undefined leaves one out. False once all are there. */
  slice(entryOf: (item: Item) => object | undefined): boolean {
    for (let count = 0; count < SLICE_ITEMS; count++) {
      const item = this.#waiting.pop()
      if (item === undefined) break
      const entry = entryOf(item)
      if (entry === undefined) continue
      if (!this.#isFirst) this.#pieces.push(',')
      this.#pieces.push(soundUtf8(JSON.stringify(entry)))
      this.#isFirst = false
    }
    return this.#waiting.length > 0
  }

  /** The whole document with a line end, in pieces. */
  pieces(): readonly string[] {
    return [...this.#pieces, `${CLOSED}\n`]
  }
}
