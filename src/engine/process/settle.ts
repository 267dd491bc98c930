/**
 * Before the clock of a run starts: every process answers, replicas are in sync, and the Sentinels
 * know all replicas and each other. A run is about what happens to a cluster that is up.
 */

import type { NodeSpec, Topology } from '../../history/topology.ts'
import type { Reply } from '../../resp/reply.ts'
import { readRole, wordsOf } from './watches.ts'

/**
 * How long the Sentinels get to discover each other; what they do not know by then is part of the
 * run.
 */
const ACQUAINT_LIMIT_MS = 15_000
const START_LIMIT_MS = 15_000
const SYNC_LIMIT_MS = 15_000
const POLL_MS = 25
const SYNC_DELAY = 'repl-diskless-sync-delay'

export type Ask = (process: string, argv: readonly string[]) => Promise<Reply | undefined>

/** False if one of the processes does not answer in time. */
export function allAnswer(names: readonly string[], ask: Ask): Promise<boolean> {
  return until(START_LIMIT_MS, async () => {
    const replies = await Promise.all(names.map((name) => ask(name, ['PING'])))
    return replies.every((reply) => reply?.kind === 'simple')
  })
}

/** False if a replica has no copy of its master's data in time. */
export async function allInSync(topology: Topology, ask: Ask): Promise<boolean> {
  const present = topology.nodes.filter(({ joinsLater }) => !joinsLater)
  const replicas = present.filter(({ replicaOf }) => isAmong(replicaOf, present))
  // By default redis-server waits five seconds for more replicas before it sends a copy. Copies
  // made before the run are no part of it, so they skip the wait; copies within the run are made as
  // each node was configured.
  const delays = await changeDelays(present, ask)
  const isDone = await until(SYNC_LIMIT_MS, async () => {
    const roles = await Promise.all(replicas.map(({ name }) => ask(name, ['ROLE'])))
    return roles.every((reply) => {
      const role = reply === undefined ? undefined : readRole(reply)
      return role?.kind === 'replica' && role.isLinkUp
    })
  })
  for (const [name, value] of delays) await ask(name, ['CONFIG', 'SET', SYNC_DELAY, value])
  return isDone
}

/** False if some Sentinel does not know all the others and all replicas in time. */
export function allAcquainted(topology: Topology, ask: Ask): Promise<boolean> {
  const sentinels = topology.sentinels.filter(({ joinsLater }) => !joinsLater)
  return until(ACQUAINT_LIMIT_MS, async () => {
    const known = await Promise.all(
      sentinels.flatMap(({ name }) =>
        topology.groups.map(async (group) => {
          const fields = wordsOf(await ask(name, ['SENTINEL', 'MASTER', group.name]))
          return (
            numberOf(fields, 'num-other-sentinels') >= sentinels.length - 1 &&
            numberOf(fields, 'num-slaves') >= directReplicas(topology, group.master).length
          )
        }),
      ),
    )
    return known.every((isKnown) => isKnown)
  })
}

/** Returns what each node's delay was before. */
async function changeDelays(
  nodes: readonly NodeSpec[],
  ask: Ask,
): Promise<readonly (readonly [string, string])[]> {
  const before = await Promise.all(
    nodes.map(async ({ name }) => {
      const [, value] = wordsOf(await ask(name, ['CONFIG', 'GET', SYNC_DELAY]))
      await ask(name, ['CONFIG', 'SET', SYNC_DELAY, '0'])
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  return before.flat()
}

/** A master tells the Sentinels only its own replicas, not the replicas of those. */
function directReplicas({ nodes }: Topology, master: string): readonly NodeSpec[] {
  return nodes.filter(({ replicaOf, joinsLater }) => replicaOf === master && !joinsLater)
}

function isAmong(name: string | undefined, nodes: readonly NodeSpec[]): boolean {
  return nodes.some((node) => node.name === name)
}

function numberOf(fields: readonly string[], name: string): number {
  return Number(fields[fields.indexOf(name) + 1] ?? -1)
}

async function until(limitMs: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const endMs = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > endMs) return false
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return true
}
