/**
 * A quorum that all Sentinels together do not reach. A file may say so, to see what it costs; a report then has to
 * say it, because no event of the run does: the Sentinels only wait for each other.
 */
import type { UnreachableQuorum } from '../result.ts'
import type { ScenarioFile } from '../scenario-file.ts'

type Topology = ScenarioFile['topology']

/** Every Sentinel watches every group. Undefined: the quorum can be reached. */
export function unreachableQuorum(
  { quorum }: Pick<Topology['groups'][number], 'quorum'>,
  topology: Pick<Topology, 'sentinels'>,
): UnreachableQuorum | undefined {
  const sentinels = topology.sentinels.length
  return quorum > sentinels ? { quorum, sentinels } : undefined
}

/** The reason alone: `the quorum is 4, and there are 3 Sentinels`. */
export function wordUnreachable({ quorum, sentinels }: UnreachableQuorum): string {
  const there = sentinels === 1 ? 'there is 1 Sentinel' : `there are ${sentinels} Sentinels`
  return `the quorum is ${quorum}, and ${there}`
}
