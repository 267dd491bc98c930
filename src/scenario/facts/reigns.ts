import type { RunHistory } from '../world.ts'

/** From this moment on a node was the master of its group by right. */
export interface Reign {
  readonly fromMs: number
  readonly master: string
}

/**
 * The masters by right, one after the other: that of each config epoch, from the moment any
 * Sentinel announced it. A new epoch of the same master continues its reign.
 */
export function mastersInTurn(
  group: string,
  history: Pick<RunHistory, 'happenings' | 'nameOf'>,
): readonly Reign[] {
  const reigns: Reign[] = []
  let newest = -1
  for (const happening of history.happenings) {
    if (happening.kind !== 'hello' || happening.group !== group) continue
    if (happening.configEpoch <= newest) continue
    newest = happening.configEpoch
    const master = history.nameOf(happening.master)
    if (reigns.at(-1)?.master !== master) reigns.push({ fromMs: happening.atMs, master })
  }
  return reigns
}

/** The index of the reign at a moment; -1 before the first one. */
export function reignAt(reigns: readonly Reign[], atMs: number): number {
  return reigns.findLastIndex(({ fromMs }) => fromMs <= atMs)
}
