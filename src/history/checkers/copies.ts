/**
 * No needless full copy. A replica that followed the old master, is not ahead of the new one and has been in no
 * trouble goes on where it is; a full copy costs the data set on the network, and its reads meanwhile.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'

/** For this long after a choice the copies that the chosen node gives are looked at. */
const WATCHED_MS = 30_000
const CALM_MS = 12_000
/** By then what a dead master wrote last has arrived. */
const STILL_MS = 400

interface Reign {
  readonly atMs: number
  /** The nodes that could go on without a copy. */
  readonly heirs: readonly string[]
}

export function needlessCopies(scene: CheckerView): Checker {
  const reigns = new Map<string, Reign>()
  return {
    name: 'no needless full copy',
    observe: (happening) => {
      const { process = '', atMs } = happening
      // A node that comes back may need one.
      if (happening.kind === 'fault' || happening.kind === 'status') reigns.clear()
      if (happening.kind === 'selection') {
        const chosen = scene.nameOf(happening.chosen)
        const heirs = heirsOf(happening, chosen, scene)
        reigns.set(chosen, { atMs, heirs })
      }
      if (happening.kind !== 'copies') return undefined
      const reign = reigns.get(process)
      if (reign === undefined || atMs - reign.atMs > WATCHED_MS) return undefined
      const receivers = happening.to.map(scene.nameOf)
      const spared = reign.heirs.find((node) => receivers.includes(node))
      if (spared === undefined) return undefined
      return `${process} gives ${spared} a full copy after its promotion, which could go on without`
    },
  }
}

type Selection = Happening & { readonly kind: 'selection' }

/** The replicas of the same master that were not ahead of the chosen one, all of it in quiet times. */
function heirsOf(
  { atMs, standings }: Selection,
  chosen: string,
  scene: CheckerView,
): readonly string[] {
  const own = standings.find(({ node }) => node === chosen)
  const sinceMs = atMs - CALM_MS
  const master = followedBy(chosen, scene)
  const isKnown = scene.linkedAtMs(chosen, atMs) !== undefined
  if (own === undefined || master === undefined || !isKnown) return []
  // A master that lives goes on writing, and the others would be ahead of the chosen one.
  if ((scene.haltedSinceMs(master) ?? atMs) > atMs - STILL_MS) return []
  if (!scene.troubles.isCalm(chosen, sinceMs)) return []
  const heirs = standings.filter(({ node, isReplica, offset, replid }) => {
    if (node === chosen || !isReplica || offset > own.offset) return false
    // One of them may have missed that a strict master was reinstated, and began another history.
    if (replid !== own.replid) return false
    if (followedBy(node, scene) !== master || scene.linkedAtMs(node, atMs) === undefined)
      return false
    return scene.troubles.isCalm(node, sinceMs) && scene.troubles.isWayCalm(node, chosen, sinceMs)
  })
  return heirs.map(({ node }) => node)
}

function followedBy(node: string, scene: CheckerView): string | undefined {
  const role = scene.roleOf(node)?.role
  return role?.kind === 'replica' ? scene.nameOf(role.master) : undefined
}
