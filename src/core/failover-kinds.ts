/** How a failover came about, and how far it can be. */
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
