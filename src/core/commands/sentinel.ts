/**
 * SENTINEL and its subcommands. Clients name masters and replicas by their age and make (`slaves`,
 * Valkey's `primary`): all names are accepted, and HELP lists one for each subcommand.
 */
import { container, ownName, type PortCommand, synonym } from './command.ts'
import { BLACK_BOX } from './sentinel-black-box.ts'
import { CHANGES } from './sentinel-change.ts'
import { CONFIG } from './sentinel-config.ts'
import { DEBUG, SIMULATE_FAILURE } from './sentinel-debug.ts'
import { EPOCHS } from './sentinel-epochs.ts'
import { PAUSES } from './sentinel-pause.ts'
import { CONFER, IS_MASTER_DOWN } from './sentinel-peers.ts'
import { MASTER, MASTER_ADDRESS, MASTERS, OTHER_QUERIES, REPLICAS } from './sentinel-query.ts'

const HELP_ORDER: readonly string[] = [
  'black-box',
  'by-hand',
  'ckquorum',
  'confer',
  'config',
  'debug',
  'epochs',
  'get-master-addr-by-name',
  'failover',
  'flushconfig',
  'forget',
  'info-cache',
  'is-master-down-by-addr',
  'last-switch',
  'master',
  'masters',
  'monitor',
  'myid',
  'pause',
  'pending-scripts',
  'remove',
  'replicas',
  'reset',
  'resume',
  'sentinels',
  'set',
  'share-pause',
  'simulate-failure',
]

const SUBCOMMANDS = [
  MASTERS,
  MASTER,
  REPLICAS,
  MASTER_ADDRESS,
  IS_MASTER_DOWN,
  BLACK_BOX,
  CONFER,
  CONFIG,
  DEBUG,
  EPOCHS,
  SIMULATE_FAILURE,
  ...OTHER_QUERIES,
  ...CHANGES,
  ...PAUSES,
].sort((a, b) => HELP_ORDER.indexOf(ownName(a)) - HELP_ORDER.indexOf(ownName(b)))

function valkeySynonym(name: string, original: PortCommand): PortCommand {
  return { ...synonym(name, original), since: '8.0.0', isOurs: true }
}

export const SENTINEL_COMMAND = container(
  {
    name: 'sentinel',
    arity: -2,
    group: 'sentinel',
    since: '2.8.4',
    helpSince: '6.2.0',
    flags: ['admin'],
    usage: '',
    summary: 'Watch masters and keep them available.',
  },
  [
    ...SUBCOMMANDS,
    valkeySynonym('sentinel|primaries', MASTERS),
    valkeySynonym('sentinel|primary', MASTER),
    { ...synonym('sentinel|slaves', REPLICAS), since: '2.8.0' },
    valkeySynonym('sentinel|get-primary-addr-by-name', MASTER_ADDRESS),
    valkeySynonym('sentinel|is-primary-down-by-addr', IS_MASTER_DOWN),
  ],
)
