/** So few items cost nothing, even if none of them counts any more. */
const FEW = 64

/**
 * A binary min-heap. Ties must be broken by `before` itself, or the order would depend on history.
 *
 * An item that no longer counts is not searched for: it stays until it comes to the top. That may take weeks where
 * items are deadlines, so those that `counts` does not hold for are taken out whenever the heap has doubled.
 */
export class Heap<T> {
  #items: T[] = []
  #tidyAt = FEW
  readonly #before: (a: T, b: T) => boolean
  readonly #counts: ((item: T) => boolean) | undefined

  constructor(before: (a: T, b: T) => boolean, counts?: (item: T) => boolean) {
    this.#before = before
    this.#counts = counts
  }

  get size(): number {
    return this.#items.length
  }

  /** In no order that means anything. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items.values()
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    if (this.#counts !== undefined && this.#items.length >= this.#tidyAt) this.#tidy(this.#counts)
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(item, items[parent] as T)) break
      items[at] = items[parent] as T
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (items.length > 0) this.#sink(last as T)
    return top
  }

  #tidy(counts: (item: T) => boolean): void {
    const items = this.#items.filter(counts)
    this.#items = items
    this.#tidyAt = Math.max(FEW, 2 * items.length)
    for (let at = items.length >> 1; at-- > 0; ) this.#sink(items[at] as T, at)
  }

  #sink(item: T, from = 0): void {
    const items = this.#items
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      const right = child + 1
      if (right < items.length && this.#before(items[right] as T, items[child] as T)) child = right
      if (!this.#before(items[child] as T, item)) break
      items[at] = items[child] as T
      at = child
    }
    items[at] = item
  }
}
