/** Does many things, a few at a time. */

/** Runs `work(item)` for all, at most `width` at once; returns the results in the order of the items. */
export async function inParallel(items, width, work) {
  const results = []
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await work(items[at])
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
