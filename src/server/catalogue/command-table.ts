/** All commands of one node, found by name in either case. */

import { bitfieldFamily } from '../commands/bits/bitfield.ts'
import { bitFamily } from '../commands/bits/bits.ts'
import { geoFamily } from '../commands/geo/geo.ts'
import { hashFamily } from '../commands/hashes/hashes.ts'
import { hyperloglogFamily } from '../commands/hyperloglog/hyperloglog.ts'
import { dumpFamily } from '../commands/keys/dump.ts'
import { expiryFamily } from '../commands/keys/expiry.ts'
import { keyFamily } from '../commands/keys/keys.ts'
import { listFamily } from '../commands/lists/lists.ts'
import { blockingListFamily } from '../commands/lists/lists-blocking.ts'
import { aclFamily } from '../commands/node/acl.ts'
import { adminFamily } from '../commands/node/admin.ts'
import { aofFamily } from '../commands/node/aof.ts'
import { clientFamily } from '../commands/node/client.ts'
import { commandFamily } from '../commands/node/command.ts'
import { configFamily } from '../commands/node/config.ts'
import { connectionFamily } from '../commands/node/connection.ts'
import { functionFamily } from '../commands/node/functions.ts'
import { replicationFamily, waitFamily } from '../commands/node/replication.ts'
import { savingFamily } from '../commands/node/saving.ts'
import { pubsubFamily } from '../commands/pubsub.ts'
import { setFamily } from '../commands/sets/sets.ts'
import { sortFamily } from '../commands/sort/sort.ts'
import { streamFamily } from '../commands/streams/streams.ts'
import { stringFamily } from '../commands/strings/strings.ts'
import { transactionFamily } from '../commands/transactions.ts'
import { blockingZsetFamily } from '../commands/zsets/zset-blocking.ts'
import { zsetFamily } from '../commands/zsets/zsets.ts'
import type { CommandDirectory } from '../context.ts'
import { unknownCommand, unknownSubcommand } from '../errors.ts'
import { type Command, createCommand, type Family } from './command.ts'

const FAMILIES: readonly Family[] = [
  connectionFamily,
  clientFamily,
  adminFamily,
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
  functionFamily,
  dumpFamily,
  savingFamily,
  aofFamily,
  transactionFamily,
  pubsubFamily,
  replicationFamily,
  waitFamily,
]

/** No name is longer; whatever is need not be put into lower case to be unknown. */
const MAX_NAME_BYTES = 64

export class CommandTable implements CommandDirectory {
  /** By lower-case name, in the order of the families. */
  readonly all: ReadonlyMap<string, Command>
  /** The same in lower and upper case, so that the usual spellings are found at once. */
  readonly #bySpelling = new Map<string, Command>()

  constructor(families: readonly Family[] = FAMILIES) {
    const all = new Map<string, Command>()
    for (const family of families) {
      for (const spec of family.commands) all.set(spec.name, createCommand(spec, family))
    }
    this.all = all
    for (const [name, command] of all) {
      this.#bySpelling.set(name, command).set(name.toUpperCase(), command)
    }
  }

  /** The command or subcommand the words name; undefined if there is none, see `unknown`. */
  find(argv: readonly string[]): Command | undefined {
    const name = argv[0] ?? ''
    const command = this.#bySpelling.get(name) ?? this.#byAnySpelling(name)
    if (command?.subcommands === undefined || argv.length === 1) return command
    return command.subcommands.get((argv[1] ?? '').toLowerCase())
  }

  /** By full name, `get` or `config|get`. */
  findByName(fullName: string): Command | undefined {
    return this.find(fullName.split('|', 2))
  }

  /** The error for words `find` knows nothing of. */
  unknown(argv: readonly string[]) {
    const container = this.#byAnySpelling(argv[0] ?? '')
    if (container === undefined) return unknownCommand(argv)
    return unknownSubcommand(container.fullName, argv[1])
  }

  /** Commands and subcommands. */
  *everyCommand(): IterableIterator<Command> {
    for (const command of this.all.values()) {
      yield command
      if (command.subcommands !== undefined) yield* command.subcommands.values()
    }
  }

  #byAnySpelling(name: string): Command | undefined {
    return name.length > MAX_NAME_BYTES ? undefined : this.all.get(name.toLowerCase())
  }
}
