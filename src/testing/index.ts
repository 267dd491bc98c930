/**
 * `vedette/testing`: a high-availability cluster inside a test runner. docs/testing.md leads from the first
 * import to a partition.
 */
export {
  Cluster,
  type FailoverOrder,
  type Partition,
  type Party,
  type Slowness,
  startCluster,
} from './cluster.ts'
export type { ClusterEvent } from './diary.ts'
export type { TestGroup } from './group.ts'
export type { Member, MemberClock, MemberStatus } from './member.ts'
export type { NodeMember, NodeReplication } from './node-member.ts'
export type { StartClusterOptions } from './options.ts'
export type { SentinelMember } from './sentinel-member.ts'
export { type StartServerOptions, startServer, TestServer } from './server.ts'
export type { TimelineOptions } from './timeline.ts'
export { type Bound, NotInTime, type SwitchBound } from './until.ts'
export type { MissingWrite, WriteLoad, WriteRecorder } from './writes.ts'
