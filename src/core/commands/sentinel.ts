/**
 * SENTINEL and its subcommands. Masters and replicas go by two pairs of names, depending on the age and
 * the make of who asks (`slaves`, Valkey's `primary`): all are understood, one of each is in HELP.
 */
import { container, ownName, synonym } from './command.ts'
import { CHANGES } from './sentinel-change.ts'
import { CONFIG } from './sentinel-config.ts'
import { DEBUG, SIMULATE_FAILURE } from './sentinel-debug.ts'
import { CONFER, IS_MASTER_DOWN } from './sentinel-peers.ts'
import { MASTER, MASTER_ADDRESS, MASTERS, OTHER_QUERIES, REPLICAS } from './sentinel-query.ts'

const HELP_ORDER: readonly string[] = [
  'ckquorum',
  'confer',
  'config',
  'debug',
  'get-master-addr-by-name',
  'failover',
  'flushconfig',
  'info-cache',
  'is-master-down-by-addr',
  'last-switch',
  'master',
  'masters',
  'monitor',
  'myid',
  'pending-scripts',
  'remove',
  'replicas',
  'reset',
  'sentinels',
  'set',
  'simulate-failure',
]

const SUBCOMMANDS = [
  MASTERS,
  MASTER,
  REPLICAS,
  MASTER_ADDRESS,
  IS_MASTER_DOWN,
  CONFER,
  CONFIG,
  DEBUG,
  SIMULATE_FAILURE,
  ...OTHER_QUERIES,
  ...CHANGES,
].sort((a, b) => HELP_ORDER.indexOf(ownName(a)) - HELP_ORDER.indexOf(ownName(b)))

export const SENTINEL_COMMAND = container(
  {
    name: 'sentinel',
    arity: -2,
    group: 'sentinel',
    since: '2.8.4',
    flags: ['admin'],
    usage: '',
    summary: 'Watch masters and keep them available.',
  },
  [
    ...SUBCOMMANDS,
    synonym('sentinel|primaries', MASTERS),
    synonym('sentinel|primary', MASTER),
    { ...synonym('sentinel|slaves', REPLICAS), since: '2.8.0' },
    synonym('sentinel|get-primary-addr-by-name', MASTER_ADDRESS),
    synonym('sentinel|is-primary-down-by-addr', IS_MASTER_DOWN),
  ],
)
