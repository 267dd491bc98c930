/**
 * The list of all commands. Families know what a command is and nothing of this list, so only code
 * that needs all commands together imports it, and no command does: a new command is written down
 * in its family alone.
 */
import type { CommandRename } from '../../base/command-renames.ts'
import type { Family } from '../catalogue/command.ts'
import { CommandTable } from '../catalogue/command-table.ts'
import { bitfieldFamily } from './bits/bitfield.ts'
import { bitFamily } from './bits/bits.ts'
import { geoFamily } from './geo/geo.ts'
import { hashFamily } from './hashes/hashes.ts'
import { hyperloglogFamily } from './hyperloglog/hyperloglog.ts'
import { dumpFamily } from './keys/dump.ts'
import { expiryFamily } from './keys/expiry.ts'
import { keyFamily } from './keys/keys.ts'
import { listFamily } from './lists/lists.ts'
import { blockingListFamily } from './lists/lists-blocking.ts'
import { aclFamily } from './node/acl.ts'
import { adminFamily } from './node/admin.ts'
import { blackBoxFamily } from './node/black-box.ts'
import { clientFamily } from './node/client.ts'
import { clusterFamily, moduleFamily } from './node/cluster.ts'
import { commandFamily } from './node/command.ts'
import { configFamily } from './node/config.ts'
import { connectionFamily } from './node/connection.ts'
import { ledgerFamily } from './node/ledger.ts'
import { replicationFamily, waitFamily } from './node/replication.ts'
import { savingFamily } from './node/saving.ts'
import { watchingFamily } from './node/watching.ts'
import { pubsubFamily } from './pubsub.ts'
import { functionFamily } from './scripting/functions.ts'
import { scriptFamily } from './scripting/scripts.ts'
import { setFamily } from './sets/sets.ts'
import { sortFamily } from './sort/sort.ts'
import { streamFamily } from './streams/streams.ts'
import { stringFamily } from './strings/strings.ts'
import { transactionFamily } from './transactions.ts'
import { blockingZsetFamily } from './zsets/zset-blocking.ts'
import { zsetFamily } from './zsets/zsets.ts'

const FAMILIES: readonly Family[] = [
  connectionFamily,
  clusterFamily,
  clientFamily,
  adminFamily,
  moduleFamily,
  watchingFamily,
  configFamily,
  aclFamily,
  commandFamily,
  keyFamily,
  expiryFamily,
  stringFamily,
  bitFamily,
  listFamily,
  blockingListFamily,
  setFamily,
  hashFamily,
  zsetFamily,
  blockingZsetFamily,
  streamFamily,
  geoFamily,
  hyperloglogFamily,
  bitfieldFamily,
  sortFamily,
  scriptFamily,
  functionFamily,
  dumpFamily,
  savingFamily,
  transactionFamily,
  pubsubFamily,
  replicationFamily,
  ledgerFamily,
  blackBoxFamily,
  waitFamily,
]

/** Each node gets a table of its own, because the table counts calls. */
export function nodeCommands(renames: readonly CommandRename[] = []): CommandTable {
  return new CommandTable(FAMILIES, renames)
}

/** Whether [rename-command] may name it, in lower case. */
export function isNodeCommand(name: string): boolean {
  const isNamed = (one: { readonly name: string }) => one.name === name
  return FAMILIES.some(({ commands }) => commands.some(isNamed))
}
