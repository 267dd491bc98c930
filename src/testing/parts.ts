/** What the cluster itself asks of its members, beyond what tests may do to them. */
import type { Reply } from '../resp/reply.ts'
import type { Member, NodeMember, SentinelMember, TestGroup } from './api.ts'

/** What a member can be asked to do without a note in the timeline. */
export interface Managed {
  /** When it was started so far, in milliseconds since the cluster was made. */
  readonly startsMs: readonly number[]
  /** Why it ended in the middle of its last start, with its last words; a member of this process never does. */
  readonly failure: string | undefined
  /** `master`: the node that a node of this process follows from the beginning of this life. */
  start(master?: NodeMember): void
  halt(): void
  /** Puts its wall clock right. What is still confused by it is ended: only a new life is on time again. */
  correctClock(): void
  /** Brings what is known of it up to date; a member of this process has nothing to do. */
  refresh(): Promise<void>
  /** Resolves when nothing of it is left. */
  gone(): Promise<void>
}

export interface ManagedMember extends Member, Managed {}
export interface ManagedNode extends NodeMember, Managed {
  /** Ends a CLIENT PAUSE. Nodes of other programs hold back CLIENT UNPAUSE itself during a pause of everything. */
  unpause(): Promise<void>
}

export interface ManagedSentinel extends SentinelMember, Managed {
  /** Undefined: it is down, or does not watch the group. */
  view(group: string): SentinelView | undefined
  /** Gives a command as a client would. Rejects while the Sentinel is not running. */
  order(argv: readonly string[]): Promise<Reply>
  /** Asks the nodes for news now. A Sentinel in a process of its own keeps to its periods. */
  hurry(): void
  /** Dials now what it has no connection to. A Sentinel in a process of its own keeps to its periods. */
  redial(): void
}

/** What a Sentinel knows of a group. */
export interface SentinelView {
  /** The host of the master that it tells clients. */
  readonly masterHost: string
  readonly masterPort: number
  /** The master first. */
  readonly instances: readonly SeenInstance[]
  /** It leads a failover at this moment. */
  readonly isFailingOver: boolean
  readonly isTilted: boolean
  /** The epoch of the failover that made this node the master. */
  readonly configEpoch: number
}

export interface SeenInstance {
  readonly port: number
  readonly isDown: boolean
  /** It has answered since it was found. */
  readonly isReached: boolean
  /** Of a node, by what it said last: it is the master, or follows the master. Of a Sentinel: true. */
  readonly isInPlace: boolean
}

export interface ManagedGroup extends TestGroup {
  readonly master: ManagedNode
  readonly replicas: readonly ManagedNode[]
  readonly nodes: readonly ManagedNode[]
  /** What each running Sentinel tells its clients; `node` is undefined for an address of no member. */
  told(): readonly { readonly sentinel: string; readonly node: ManagedNode | undefined }[]
}
