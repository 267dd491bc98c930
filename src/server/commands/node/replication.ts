/** The commands replication answers itself; here they only get their place in the table. */
import { command, type Family, type Handler } from '../../catalogue/command.ts'
import type { Replication } from '../../replication/replication.ts'

const ADMIN = 'admin noscript'

function handledBy(name: keyof Replication['handlers']): Handler {
  return ({ node, session }, argv) => node.replication.handlers[name](session, argv)
}

export const replicationFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('replicaof', 3, `${ADMIN} stale no_async_loading`, [], handledBy('replicaof')),
    command('slaveof', 3, `${ADMIN} stale no_async_loading`, [], handledBy('slaveof')),
    command('psync', -3, `${ADMIN} no_async_loading no_multi`, [], handledBy('psync')),
    command('sync', 1, `${ADMIN} no_async_loading no_multi`, [], handledBy('sync')),
    command('replconf', -1, `${ADMIN} loading stale allow_busy`, [], handledBy('replconf')),
    command('role', 1, 'noscript loading stale fast', [], handledBy('role')),
    command('failover', -1, `${ADMIN} stale`, [], handledBy('failover')),
  ],
}

export const waitFamily: Family = {
  group: 'generic',
  category: '@connection',
  commands: [
    command('wait', 3, 'noscript', [], handledBy('wait')),
    // Since Redis 7.2.
    command('waitaof', 4, 'noscript', [], handledBy('waitaof')),
  ],
}
