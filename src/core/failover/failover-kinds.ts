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
 * `automatic`: the master is O_DOWN, and an election decides who acts. `forced`: SENTINEL FAILOVER, which
 * needs neither. `coordinated`: SENTINEL FAILOVER … COORDINATED, elected and without loss, see
 * coordinated.ts.
 */
export type FailoverKind = 'automatic' | 'forced' | 'coordinated'

/** A change of master, as `+switch-master` told it. */
export interface LastSwitch {
  readonly from: Address
  readonly to: Address
  readonly configEpoch: number
  readonly atMs: number
}
