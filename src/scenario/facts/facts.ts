/** What can be counted and measured over a whole run. */
import type { Write } from '../../sim/write-log.ts'
import type { GroupFacts, WriteFacts } from '../result.ts'
import type { History } from '../world.ts'
import { dualWrites } from './dual-writes.ts'
import { Lifelines } from './lifelines.ts'
import { countLost } from './loss-causes.ts'
import { longestOutage, outagesOf } from './outages.ts'
import { countStaleReads } from './stale-reads.ts'

export function groupFacts(
  group: string,
  history: History,
  finalMaster: string | undefined,
): GroupFacts {
  const writes = history.writes.filter((write) => write.group === group)
  const lifelines = new Lifelines(history)
  const dual = dualWrites(writes, lifelines)
  return {
    group,
    finalMaster,
    failovers: countFailovers(group, history),
    writes: countWrites(writes),
    longestOutageMs: longestOutage(writes, history.endMs),
    outages: outagesOf(writes, lifelines, history.endMs),
    dualWritesMs: dual.longestMs,
    dualWritesTotalMs: dual.totalMs,
    lost: countLost(group, history, lifelines),
    staleReads: countStaleReads(group, history),
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
