/** What can be counted and measured over a whole run. */
import type { Write } from '../sim/write-log.ts'
import { longestDualWrites } from './dual-writes.ts'
import type { GroupFacts, LostWrites, WriteFacts } from './result.ts'
import type { History } from './world.ts'

export function groupFacts(
  group: string,
  history: History,
  finalMaster: string | undefined,
): GroupFacts {
  const writes = history.writes.filter((write) => write.group === group)
  return {
    group,
    finalMaster,
    failovers: countFailovers(group, history),
    writes: countWrites(writes),
    longestOutageMs: longestOutage(writes, history.endMs),
    dualWritesMs: longestDualWrites(writes, history),
    lost: countLost(group, history),
  }
}

/** A failover that got as far as a promotion has a config epoch of its own. */
function countFailovers(group: string, history: History): number {
  const epochs = new Set<number>()
  for (const happening of history.happenings) {
    if (happening.kind !== 'hello' || happening.group !== group) continue
    if (happening.configEpoch > 0) epochs.add(happening.configEpoch)
  }
  return epochs.size
}

function countWrites(writes: readonly Write[]): WriteFacts {
  const refused: Record<string, number> = {}
  let acknowledged = 0
  let unknown = 0
  for (const { outcome } of writes) {
    if (outcome.kind === 'acknowledged') acknowledged++
    else if (outcome.kind === 'unknown') unknown++
    else if (outcome.kind === 'refused') {
      const code = outcome.text.split(' ')[0] ?? ''
      refused[code] = (refused[code] ?? 0) + 1
    }
  }
  return { attempted: writes.length, acknowledged, refused, unknown }
}

function longestOutage(writes: readonly Write[], endMs: number): number {
  const acknowledgedAt = writes.flatMap(({ outcome }) =>
    outcome.kind === 'acknowledged' ? [outcome.atMs] : [],
  )
  acknowledgedAt.sort((a, b) => a - b)
  let longestMs = 0
  acknowledgedAt.forEach((atMs, index) => {
    longestMs = Math.max(longestMs, (acknowledgedAt[index + 1] ?? endMs) - atMs)
  })
  return longestMs
}

function countLost(group: string, history: History): LostWrites | undefined {
  const missing = history.missing.get(group)
  if (missing === undefined) return undefined
  const reigns = mastersInTurn(group, history)
  const lost = { byMajority: 0, byCutOff: 0, byDeposed: 0 }
  for (const { node, outcome } of missing) {
    if (outcome.kind !== 'acknowledged') continue
    const rightful = reigns.findLast(({ fromMs }) => fromMs <= outcome.atMs)?.master ?? node
    if (!outcome.withMajority) lost.byCutOff++
    else if (rightful !== node) lost.byDeposed++
    else lost.byMajority++
  }
  return lost
}

interface Reign {
  readonly fromMs: number
  readonly master: string
}

/** The masters by right: of each config epoch, from the moment any Sentinel told it. */
function mastersInTurn(group: string, history: History): readonly Reign[] {
  const reigns: Reign[] = []
  let newest = -1
  for (const happening of history.happenings) {
    if (happening.kind !== 'hello' || happening.group !== group) continue
    if (happening.configEpoch <= newest) continue
    newest = happening.configEpoch
    reigns.push({ fromMs: happening.atMs, master: history.nameOf(happening.master) })
  }
  return reigns
}
