/**
 * How many nodes the radix tree has in which Redis keeps a stream: XINFO shows it, and people watch it to
 * see how much a stream takes. A run of bytes without a fork is one node, a fork is one, and so is the end
 * of each key.
 */
import type { Stream } from './stream.ts'
import type { StreamId } from './stream-id.ts'

const KEY_BYTES = 16

export function radixNodes({ nodes }: Stream): number {
  if (nodes.length === 0) return 1
  return treeNodes(
    nodes.map(({ masterId }) => masterId),
    0,
  )
}

/** Of keys in ascending order that are the same up to `depth`. */
function treeNodes(keys: readonly StreamId[], depth: number): number {
  const [first = '', last = ''] = [keys[0], keys.at(-1)]
  let fork = depth
  while (fork < KEY_BYTES && first[fork] === last[fork]) fork++
  const run = fork > depth ? 1 : 0
  if (fork === KEY_BYTES) return run + 1
  let count = run + 1
  for (const branch of branches(keys, fork)) count += treeNodes(branch, fork + 1)
  return count
}

/** The keys by the byte at `at`. */
function* branches(keys: readonly StreamId[], at: number): Iterable<readonly StreamId[]> {
  let from = 0
  for (let to = 1; to <= keys.length; to++) {
    if (keys[to]?.[at] === keys[from]?.[at]) continue
    yield keys.slice(from, to)
    from = to
  }
}
