/**
 * SENTINEL and its subcommands. Masters and replicas go by two pairs of names, depending on the age and
 * the make of who asks (`slaves`, Valkey's `primary`): all are understood, one of each is in HELP.
 */
import { container, synonym } from './command.ts'
import { CHANGES } from './sentinel-change.ts'
import { IS_MASTER_DOWN } from './sentinel-peers.ts'
import { MASTER, MASTER_ADDRESS, MASTERS, OTHER_QUERIES, REPLICAS } from './sentinel-query.ts'

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
    MASTERS,
    MASTER,
    REPLICAS,
    MASTER_ADDRESS,
    ...OTHER_QUERIES,
    ...CHANGES,
    IS_MASTER_DOWN,
    synonym('sentinel|primaries', MASTERS),
    synonym('sentinel|primary', MASTER),
    synonym('sentinel|slaves', REPLICAS),
    synonym('sentinel|get-primary-addr-by-name', MASTER_ADDRESS),
    synonym('sentinel|is-primary-down-by-addr', IS_MASTER_DOWN),
  ],
)
