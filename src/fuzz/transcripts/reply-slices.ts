/** The bytes a server sent, cut into whole replies and otherwise unchanged. */

/** Kinds whose header says how many replies follow; maps and attributes have two each. */
const ITEMS_PER_COUNT: Readonly<Record<string, number>> = { '*': 1, '~': 1, '>': 1, '%': 2 }
const COUNTED_BYTES = '$=!'

/** Whole replies only: an incomplete one at the end is left out. */
export function replySlices(bytes: string): string[] {
  const slices: string[] = []
  for (let at = 0; ; ) {
    const end = endOfReply(bytes, at)
    if (end === undefined) return slices
    slices.push(bytes.slice(at, end))
    at = end
  }
}

/** The replies inside a reply; empty if it has none. */
export function itemSlices(reply: string): string[] {
  const kind = reply.charAt(0)
  return kind in ITEMS_PER_COUNT ? replySlices(reply.slice(reply.indexOf('\r\n') + 2)) : []
}

function endOfReply(bytes: string, start: number): number | undefined {
  const lineEnd = bytes.indexOf('\r\n', start)
  if (lineEnd < 0) return undefined
  const kind = bytes.charAt(start)
  const count = Number(bytes.slice(start + 1, lineEnd))
  let at: number | undefined = lineEnd + 2
  if (COUNTED_BYTES.includes(kind)) {
    const end = count < 0 ? at : at + count + 2
    return end <= bytes.length ? end : undefined
  }
  const items = count * (ITEMS_PER_COUNT[kind] ?? 0)
  for (let item = 0; item < items && at !== undefined; item++) at = endOfReply(bytes, at)
  return at
}
