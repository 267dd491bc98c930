import type { Address } from '../../base/ip.ts'

/** How a failover came about, and which states it goes through. */
export type FailoverState =
  | 'wait_start'
  | 'select_slave'
  | 'send_slaveof_noone'
  | 'wait_promotion'
  | 'reconf_slaves'
  | 'update_config'

/**
 * `automatic`: the master is O_DOWN, and an election decides which Sentinel acts. `forced`: SENTINEL FAILOVER, which
 * needs neither. `coordinated`: SENTINEL FAILOVER … COORDINATED, elected and without loss, see
 * coordinated.ts. `renewal`: no failover, the voters of a strict group are fenced again for one that has no vote, see
 * renewal.ts.
 */
export type FailoverKind = 'automatic' | 'forced' | 'coordinated' | 'renewal'

/** A change of master, as `+switch-master` told it. */
export interface LastSwitch {
  readonly from: Address
  readonly to: Address
  readonly configEpoch: number
  readonly atMs: number
}

/** Strict replication: what a fenced node answered, see fencing.ts. */
export interface Standing {
  readonly lastTerm: number
  readonly offset: number
  /** `voter`: it has all it ever acknowledged; `behind`: it may not; `new`: it never did. */
  readonly kind: 'voter' | 'behind' | 'new'
}

export interface FencedHandover {
  /** The name of the instance. */
  readonly heir: string
  state: 'asked' | 'ready' | 'refused'
}

export interface Fencing {
  /**
   * Whose term it is: this attempt's alone. A Sentinel from a backup may be elected in the same epoch
   * again, by the same votes, and must not share the term that it gave away before.
   */
  readonly leader: string
  readonly sinceMs: number
  /** The others have been asked. */
  othersSinceMs: number | undefined
  /** Since when enough have answered. */
  enoughSinceMs: number | undefined
  /** The old master has been told to go on. */
  reinstatedAtMs: number | undefined
  /** On an order the old master sends its clients to the heir before it is fenced, and gives it everything. */
  handover: FencedHandover | undefined
  /** By name of the instance; `asked`: no answer so far. */
  readonly answers: Map<string, Standing | 'asked' | 'refused'>
}
