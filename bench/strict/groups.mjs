/** The two kinds of groups whose failovers are compared, and what happens to them. */

import { GROUP } from '../failover/cluster.mjs'
import { FAULTS } from '../failover/contenders.mjs'
import { withConnectionTo } from '../support/connection.mjs'

const VEDETTE = { sentinel: 'vedette', detection: 'evidence', node: 'vedette' }

export const GROUPS = [
  { id: 'async', ...VEDETTE },
  { id: 'strict', ...VEDETTE, replication: 'strict' },
]

export const FAILOVER_FAULTS = FAULTS.filter(({ needsNetwork }) => !needsNetwork)

/** Stock clients that are handed over, as bench/clients/programs/stock.mjs knows them. */
export const HANDOVER_CLIENTS = [
  { id: 'node-redis', title: 'node-redis' },
  { id: 'node-redis-alone', title: 'node-redis, `maintNotifications: disabled`' },
  { id: 'ioredis', title: 'ioredis' },
]

/** An order that loses nothing, as an operator gives it. Strict groups know no other one. */
export const HANDOVERS = [
  {
    id: 'planned',
    name: 'Planned handover',
    strike: ({ sentinels }, { replication }) =>
      withConnectionTo(sentinels[0], (client) =>
        client.sentinel('FAILOVER', GROUP, ...(replication === 'strict' ? [] : ['COORDINATED'])),
      ),
  },
]
