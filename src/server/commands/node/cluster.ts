/**
 * CLUSTER and MODULE on a server that is no node of a cluster and loads no modules: both are known, as rules
 * of users and tools expect, and refused in Redis' words.
 */
import { array, error, type Reply } from '../../../resp/reply.ts'
import { command, container, type Family, helpReply } from '../../catalogue/command.ts'
import { UNORDERED, VARYING } from '../../catalogue/command-traits.ts'

const NO_CLUSTER = error('ERR This instance has cluster support disabled')
const MODULE_NOT_ALLOWED = error(
  'ERR MODULE command not allowed. If the enable-module-command option is set to "local", you can run it ' +
    'from a local connection, otherwise you need to set this option in the configuration file, and then ' +
    'restart the server.',
)

export function clusterOnly(): Reply {
  return NO_CLUSTER
}

const CHANGES = 'admin stale no_async_loading'

const clusterCommands = [
  command('addslots', -3, CHANGES, [], clusterOnly),
  command('addslotsrange', -4, CHANGES, [], clusterOnly),
  command('bumpepoch', 2, CHANGES, [], clusterOnly, VARYING),
  command('count-failure-reports', 3, 'admin stale', [], clusterOnly, VARYING),
  command('countkeysinslot', 3, 'stale', [], clusterOnly),
  command('delslots', -3, CHANGES, [], clusterOnly),
  command('delslotsrange', -4, CHANGES, [], clusterOnly),
  command('failover', -2, CHANGES, [], clusterOnly),
  command('flushslots', 2, CHANGES, [], clusterOnly),
  command('forget', 3, CHANGES, [], clusterOnly),
  command('getkeysinslot', 4, 'stale', [], clusterOnly, VARYING),
  command('help', 2, 'loading stale', [], clusterOnly),
  command('info', 2, 'stale', [], clusterOnly, VARYING),
  command('keyslot', 3, 'stale', [], clusterOnly),
  command('links', 2, 'stale', [], clusterOnly, VARYING),
  command('meet', -4, CHANGES, [], clusterOnly),
  command('myid', 2, 'stale', [], clusterOnly),
  command('nodes', 2, 'stale', [], clusterOnly, VARYING),
  command('replicas', 3, 'admin stale', [], clusterOnly, VARYING),
  command('replicate', 3, CHANGES, [], clusterOnly),
  command('reset', -2, 'admin noscript stale', [], clusterOnly),
  command('saveconfig', 2, CHANGES, [], clusterOnly),
  command('set-config-epoch', 3, CHANGES, [], clusterOnly),
  command('setslot', -4, CHANGES, [], clusterOnly),
  command('shards', 2, 'stale', [], clusterOnly, VARYING),
  command('slaves', 3, 'admin stale', [], clusterOnly, VARYING),
  command('slots', 2, 'stale', [], clusterOnly, VARYING),
]

export const clusterFamily: Family = {
  group: 'cluster',
  category: undefined,
  commands: [container('cluster', clusterCommands)],
}

/** Whatever enable-module-command says, which has no effect here. */
function moduleRefusal(): Reply {
  return MODULE_NOT_ALLOWED
}

function moduleHelp(): Reply {
  return helpReply('MODULE', [
    'LIST',
    '    List the modules that are loaded: none.',
    'LOAD <path> [<arg> ...] (or LOADEX, UNLOAD)',
    '    Refused: this server has no modules.',
  ])
}

const LOADS = 'admin noscript no_async_loading'

export const moduleFamily: Family = {
  group: 'server',
  category: undefined,
  commands: [
    container('module', [
      command('help', 2, 'loading stale', [], moduleHelp),
      command('list', 2, 'admin noscript', [], () => array([]), UNORDERED),
      command('load', -3, LOADS, [], moduleRefusal),
      command('loadex', -3, LOADS, [], moduleRefusal),
      command('unload', 3, LOADS, [], moduleRefusal),
    ]),
  ],
}
