/** The commands that replication answers itself; this file only puts them into the table. */
import { command, type Family, type Handler } from '../../catalogue/command.ts'

const ADMIN = 'admin noscript'

const replicaof: Handler = ({ node, session }, argv) => node.replication.replicaof(session, argv)
const psync: Handler = ({ node, session }, argv) =>
  node.replication.serving.attachment.psync(session, argv)
const sync: Handler = ({ node, session }) => node.replication.serving.attachment.sync(session)
const replconf: Handler = ({ node, session }, argv) =>
  node.replication.serving.attachment.replconf(session, argv)
const wait: Handler = ({ node, session }, argv) =>
  node.replication.serving.waits.wait(session, argv)
const waitaof: Handler = ({ node, session }, argv) =>
  node.replication.serving.waits.waitaof(session, argv)
const role: Handler = ({ node }) => node.replication.roleReply()
const failover: Handler = ({ node }, argv) => node.replication.failover.command(argv)

export const replicationFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    command('replicaof', 3, `${ADMIN} stale no_async_loading`, [], replicaof),
    command('slaveof', 3, `${ADMIN} stale no_async_loading`, [], replicaof),
    command('psync', -3, `${ADMIN} no_async_loading no_multi`, [], psync),
    command('sync', 1, `${ADMIN} no_async_loading no_multi`, [], sync),
    command('replconf', -1, `${ADMIN} loading stale allow_busy`, [], replconf),
    command('role', 1, 'noscript loading stale fast', [], role, {
      alsoIn: ['@admin', '@dangerous'],
    }),
    command('failover', -1, `${ADMIN} stale`, [], failover),
  ],
}

export const waitFamily: Family = {
  group: 'generic',
  category: '@connection',
  commands: [
    command('wait', 3, 'noscript', [], wait, {
      tips: ['request_policy:all_shards', 'response_policy:agg_min'],
    }),
    // Since Redis 7.2.
    command('waitaof', 4, 'noscript', [], waitaof),
  ],
}
