/**
 * Does `work` on all items, at most `jobs` at once, and tells each result in the order of the items as
 * soon as it and all before it are there. The first failure ends everything that has not begun.
 */
export async function eachInOrder<Item, Result>(
  items: readonly Item[],
  jobs: number,
  work: (item: Item, index: number) => Promise<Result>,
  tell: (item: Item, result: Result) => Promise<void>,
): Promise<void> {
  const begun: Promise<Result>[] = []
  const begin = (): void => {
    const item = items[begun.length]
    if (item === undefined) return
    const result = work(item, begun.length)
    // Whoever ends first makes room for the next one; a failure is met when its turn to be told comes.
    result.then(begin, () => {})
    begun.push(result)
  }
  for (let job = 0; job < jobs; job++) begin()
  for (const [index, item] of items.entries())
    await tell(item, await (begun[index] as Promise<Result>))
}
