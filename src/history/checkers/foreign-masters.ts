/**
 * Two groups never share a node by accident. A Sentinel that knows a node as the master of one group gives it no order
 * in the name of another, unless the two have ever had the same master: then they are two names for one deployment.
 */
import type { Happening } from '../happening.ts'
import type { Checker } from './checker.ts'
import type { CheckerView } from './checker-view.ts'
import { forgetProcess, placeOf, readSubject } from './sentinel-past.ts'

/** By Sentinel and group: every master that it has named, and the present one last. */
type Named = Map<string, string[]>

export function foreignMastersAreLeft(scene: CheckerView): Checker {
  const named: Named = new Map()
  return {
    name: 'the master of another group is left alone',
    observe: (happening) => {
      note(named, happening)
      if (happening.kind !== 'order') return undefined
      const { process = '', group, node } = happening
      const place = placeOf(node)
      const owner = ownerOf(named, process, group, place)
      const name = scene.nameOf(node)
      if (owner === undefined || !isMasterOfItsOwn(scene, name, happening.atMs)) return undefined
      return `${process} gives ${name}, the master of ${owner}, an order in the name of ${group}`
    },
  }
}

/** The other group of this Sentinel whose master lives there. */
function ownerOf(named: Named, process: string, group: string, place: string): string | undefined {
  const ours = named.get(`${process} ${group}`) ?? []
  for (const [key, masters] of named) {
    const [by = '', other = ''] = key.split(' ')
    if (by !== process || other === group || masters.at(-1) !== place) continue
    if (!masters.some((one) => ours.includes(one))) return other
  }
  return undefined
}

/** It has been a master in all of its life: a Sentinel that does not know the other group may have turned it. */
function isMasterOfItsOwn(scene: CheckerView, node: string, nowMs: number): boolean {
  const sinceMs = scene.runsSinceMs(node)
  if (sinceMs === undefined || scene.roleOf(node)?.role.kind !== 'master') return false
  return (scene.replicaAtMs(node, nowMs) ?? 0) <= sinceMs
}

function note(named: Named, happening: Happening): void {
  const { process = '' } = happening
  if (happening.kind === 'status' && happening.status === 'down') forgetProcess(named, process)
  if (happening.kind === 'event' && happening.name === '-monitor') {
    named.delete(`${process} ${readSubject(happening.payload)?.group}`)
  }
  if (happening.kind !== 'view') return
  const key = `${process} ${happening.group}`
  const place = placeOf(happening.master)
  named.set(key, [...(named.get(key) ?? []).filter((one) => one !== place), place])
}
