/** The rules of the group: those of the demonstration, or those of the user's own sentinel.yml. */
import type { SentinelFile } from '../../config/sentinel-file.ts'
import { DEFAULT_PERIODS, type GroupConfig, type Periods } from '../../core/config.ts'
import { majority } from '../../core/election/quorum.ts'

export interface GroupRules {
  readonly quorum: number
  readonly downAfterMs: number
  readonly failoverTimeoutMs: number
  readonly parallelSyncs: number
  readonly periods: Periods
}

/** A cluster that a person watches should fail over in about a second. */
const DEMONSTRATION = { downAfterMs: 1_000, failoverTimeoutMs: 10_000, parallelSyncs: 1 }

export function defaultRules(sentinels: number): GroupRules {
  return { ...DEMONSTRATION, quorum: majority(sentinels), periods: DEFAULT_PERIODS }
}

/** The group with that name, or the first one. Undefined: the file has no group. */
export function groupMeant({ core }: SentinelFile, groupName: string): GroupConfig | undefined {
  return core.groups.find(({ name }) => name === groupName) ?? core.groups[0]
}

/** The rules of that group. */
export function rulesOf(file: SentinelFile, groupName: string): GroupRules | undefined {
  const group = groupMeant(file, groupName)
  if (group === undefined) return undefined
  const { periods } = file.core
  const { quorum, downAfterMs, failoverTimeoutMs, parallelSyncs } = group
  return { quorum, downAfterMs, failoverTimeoutMs, parallelSyncs, periods }
}
