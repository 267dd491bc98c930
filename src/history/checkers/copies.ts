/**
 * No needless full copy. A replica that followed the old master, is not ahead of the new one and has been in no
 * trouble goes on where it is; a full copy costs the data set on the network, and its reads meanwhile.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'

/** For this long after a choice the copies that the chosen node gives are counted. */
const COUNTED_MS = 30_000
const CALM_MS = 12_000
/** By then what a dead master wrote last has arrived. */
const STILL_MS = 400

interface Reign {
  readonly atMs: number
  /** Copies that the node had given before. */
  readonly before: number
  /** How many nodes may need one. */
  readonly entitled: number
  readonly heirs: readonly string[]
}

export function needlessCopies(scene: CheckerView): Checker {
  const given = new Map<string, number>()
  const reigns = new Map<string, Reign>()
  return {
    name: 'no needless full copy',
    observe: (happening) => {
      const { process = '', atMs } = happening
      if (happening.kind === 'fault') reigns.clear()
      if (happening.kind === 'status') {
        if (happening.status === 'down') given.delete(process)
        // A node that comes back may need one.
        reigns.clear()
      }
      if (happening.kind === 'selection') {
        const chosen = scene.nameOf(happening.chosen)
        const reign = reignOf(happening, chosen, given.get(chosen) ?? 0, scene)
        if (reign !== undefined) reigns.set(chosen, reign)
      }
      if (happening.kind !== 'copies') return undefined
      given.set(process, happening.given)
      const reign = reigns.get(process)
      if (reign === undefined || atMs - reign.atMs > COUNTED_MS) return undefined
      const count = happening.given - reign.before
      if (count <= reign.entitled) return undefined
      return `${process} gives a full copy after its promotion, and ${reign.heirs.join(', ')} could go on without`
    },
  }
}

type Selection = Happening & { readonly kind: 'selection' }

function reignOf(
  { atMs, standings, group }: Selection,
  chosen: string,
  before: number,
  scene: CheckerView,
): Reign | undefined {
  const own = standings.find(({ node }) => node === chosen)
  const sinceMs = atMs - CALM_MS
  const master = followedBy(chosen, scene)
  const isKnown = scene.linkedAtMs(chosen, atMs) !== undefined
  if (own === undefined || master === undefined || !isKnown) return undefined
  // A master that lives goes on writing, and the others would be ahead of the chosen one.
  if ((scene.haltedSinceMs(master) ?? atMs) > atMs - STILL_MS) return undefined
  if (!scene.troubles.isCalm(chosen, sinceMs)) return undefined
  const others = scene.topology.nodes.filter((node) => node.group === group && node.name !== chosen)
  const heirs = standings.filter(({ node, isReplica, offset }) => {
    if (node === chosen || !isReplica || offset > own.offset) return false
    if (followedBy(node, scene) !== master || scene.linkedAtMs(node, atMs) === undefined)
      return false
    return scene.troubles.isCalm(node, sinceMs) && scene.troubles.isWayCalm(node, chosen, sinceMs)
  })
  if (heirs.length === 0) return undefined
  const entitled = others.length - heirs.length
  return { atMs, before, entitled, heirs: heirs.map(({ node }) => node) }
}

function followedBy(node: string, scene: CheckerView): string | undefined {
  const role = scene.roleOf(node)?.role
  return role?.kind === 'replica' ? scene.nameOf(role.master) : undefined
}
