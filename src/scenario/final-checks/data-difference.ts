/**
 * Whether replicas hold what their master holds, byte for byte. DEBUG DIGEST answers that in one
 * question; where it is not allowed, the keys and their values are compared.
 */
import type { Reply } from '../../resp/reply.ts'
import type { World } from '../world.ts'
import type { NodeState } from './node-agreement.ts'

const KEYS_PER_COMMAND = 500
/** Limit on keys that hold no string, which are read one by one. */
const OTHERS_MAX = 1_000
const DIGEST = /^[0-9a-f]{40}$/

/**
 * The differences in words; empty: the nodes hold the same. `master` is the name of one of them.
 */
export async function dataDifferences(
  world: World,
  states: readonly NodeState[],
  master: string | undefined,
): Promise<readonly string[]> {
  const nodes = states.map(({ node }) => node)
  const replicas = nodes.filter((node) => node !== master)
  if (master === undefined || replicas.length === 0) return []
  const digests = await digestsOf(world, nodes)
  if (digests === undefined) return await dumpDifferences(world, master, replicas)
  return replicas
    .filter((node) => digests.get(node) !== digests.get(master))
    .map((node) => `${node} does not hold what ${master} holds`)
}

/** Undefined: one of the nodes does not give its digest. */
async function digestsOf(
  world: World,
  nodes: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const digests = new Map<string, string>()
  for (const node of nodes) {
    const reply = await world.ask(node, ['DEBUG', 'DIGEST'])
    if (reply?.kind !== 'simple' || !DIGEST.test(reply.text)) return undefined
    digests.set(node, reply.text)
  }
  return digests
}

async function dumpDifferences(
  world: World,
  master: string,
  replicas: readonly string[],
): Promise<readonly string[]> {
  const theirs = await dumpOf(world, master)
  if (theirs === undefined) return [`${master} does not tell what it holds`]
  const found: string[] = []
  for (const replica of replicas) {
    const own = await dumpOf(world, replica)
    const difference = own === undefined ? 'does not tell what it holds' : compare(own, theirs)
    if (difference !== undefined) found.push(`${replica} ${difference} (its master: ${master})`)
  }
  return found
}

function compare(
  own: ReadonlyMap<string, string>,
  theirs: ReadonlyMap<string, string>,
): string | undefined {
  for (const [key, value] of theirs) {
    if (!own.has(key)) return `misses ${key}`
    if (own.get(key) !== value) return `holds something else in ${key}`
  }
  for (const key of own.keys()) if (!theirs.has(key)) return `has ${key}, which should not be there`
  return undefined
}

/**
 * The keys of the first database with their values as text; undefined: the node does not answer.
 */
async function dumpOf(
  world: World,
  node: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const keys = await world.ask(node, ['KEYS', '*'])
  if (keys?.kind !== 'array') return undefined
  const names = keys.items.map(textOf).sort()
  const values = new Map<string, string>()
  for (let first = 0; first < names.length; first += KEYS_PER_COMMAND) {
    const isRead = await readStrings(
      world,
      node,
      names.slice(first, first + KEYS_PER_COMMAND),
      values,
    )
    if (!isRead) return undefined
  }
  const others = names.filter((name) => !values.has(name))
  for (const key of others.slice(0, OTHERS_MAX)) {
    values.set(key, membersIn(await world.ask(node, ['SMEMBERS', key])))
  }
  return values
}

async function readStrings(
  world: World,
  node: string,
  keys: readonly string[],
  values: Map<string, string>,
): Promise<boolean> {
  const reply = await world.ask(node, ['MGET', ...keys])
  if (reply?.kind !== 'array') return false
  keys.forEach((key, place) => {
    const item = reply.items[place]
    if (item?.kind === 'bulk') values.set(key, item.bytes)
  })
  return true
}

/**
 * Sets have no order, so members are sorted. A key that is no set answers with an error, the same
 * on every node.
 */
function membersIn(reply: Reply | undefined): string {
  if (reply?.kind !== 'array' && reply?.kind !== 'set') return textOf(reply)
  return JSON.stringify(reply.items.map(textOf).sort())
}

function textOf(reply: Reply | undefined): string {
  if (reply?.kind === 'bulk') return reply.bytes
  return reply?.kind === 'error' ? reply.text : ''
}
