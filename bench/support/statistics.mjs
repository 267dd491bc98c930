/** A few samples, summarised plainly: the smallest, the median and the largest. */

/** Leaves out what was not measured; undefined if nothing was. */
export function summarise(values) {
  const sorted = inOrder(values.filter((value) => value !== undefined))
  if (sorted.length === 0) return undefined
  return { count: sorted.length, min: sorted[0], median: middleOf(sorted), max: sorted.at(-1) }
}

/** The ratio of `ours` to `theirs`, by their medians; undefined if that means nothing. */
export function ratioOf(ours, theirs) {
  if (ours === undefined || theirs === undefined || theirs.median === 0) return undefined
  return ours.median / theirs.median
}

export function medianOf(values) {
  return middleOf(inOrder(values))
}

function inOrder(values) {
  return [...values].sort((a, b) => a - b)
}

function middleOf(sorted) {
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
