/** What the members of a cluster are made from, whatever they are, and what comes of it. */
import type { ClusterClock } from './cluster-clock.ts'
import type { Diary } from './diary.ts'
import type { MemberSurroundings } from './member.ts'
import type { FullOptions } from './options.ts'
import type { ManagedNode, ManagedSentinel } from './parts.ts'
import type { Switchboard } from './switchboard.ts'

export interface MembersStart {
  readonly options: FullOptions
  readonly switchboard: Switchboard
  readonly diary: Diary
  readonly clock: ClusterClock
  readonly cluster: MemberSurroundings
}

export interface Members {
  readonly nodes: readonly ManagedNode[]
  readonly sentinels: readonly ManagedSentinel[]
  /** What processes of their own keep their files in; removed when they are gone. */
  readonly folder?: string
}
