/**
 * How much a machine holds: the number of entries in each of its maps, sets and lists, by where it holds
 * them. What is kept per instance or per client counts together: `groups.*.replicas.*.questions`. A machine that
 * has forgotten nothing shows as one number that grows from day to day. Private fields cannot be seen.
 */

/** Deeper than any state of ours. */
const DEPTH_MAX = 12

export type Sizes = Readonly<Record<string, number>>

export function sizesOf(root: object): Sizes {
  const counts = new Map<string, number>()
  const seen = new Set<object>([root])
  const queue: (readonly [path: string, value: object, depth: number])[] = [['', root, 0]]
  for (const [path, value, depth] of queue) {
    const isList = Array.isArray(value) || value instanceof Map || value instanceof Set
    const parts = partsOf(value)
    if (isList) counts.set(path, (counts.get(path) ?? 0) + parts.length)
    if (depth === DEPTH_MAX) continue
    for (const [key, part] of parts) {
      if (typeof part !== 'object' || part === null || seen.has(part)) continue
      seen.add(part)
      const name = isList ? '*' : key
      queue.push([path === '' ? name : `${path}.${name}`, part, depth + 1])
    }
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function partsOf(value: object): readonly (readonly [key: string, part: unknown])[] {
  if (value instanceof Map) return [...value.values()].map((part) => ['', part])
  if (Array.isArray(value) || value instanceof Set) return [...value].map((part) => ['', part])
  return Object.entries(value)
}
