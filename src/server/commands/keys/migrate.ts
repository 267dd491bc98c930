/** MIGRATE: keys move to another server. What is sent and how it is confirmed is migration/migration.ts. */
import { MAX_BULK_BYTES } from '../../../resp/input.ts'
import { error, OK, type Reply, simple } from '../../../resp/reply.ts'
import { parseInteger } from '../../arguments/numbers.ts'
import { arg, command } from '../../catalogue/command.ts'
import { foundBy, type KeyRange, NOWHERE } from '../../catalogue/key-spec.ts'
import type { CommandContext, NodeServices } from '../../context.ts'
import { NOT_AN_INTEGER, SYNTAX_ERROR, TOO_LONG } from '../../errors.ts'
import type { Db } from '../../keyspace/db.ts'
import type { MigrationResult } from '../../migration/migration.ts'
import { dumpPayload } from '../../rdb/dump-payload.ts'
import { rdbString } from '../../rdb/rdb-encode.ts'
import { compressedString } from '../../rdb/rdb-writer.ts'
import { replyLater } from '../../sessions/reply-later.ts'
import { KeyWatch } from '../../sessions/transactions.ts'

const NO_KEY = simple('NOKEY')
const KEY_BESIDE_KEYS = error(
  'ERR When using MIGRATE KEYS option, the key argument must be set to the empty string',
)
const NOT_STRICT = error('ERR MIGRATE cannot be used with sync-replication')
const IN_TRANSACTION = error(
  'ERR MIGRATE waits for the other server, which transactions and scripts cannot',
)
const IS_RUNNING = error('ERR another MIGRATE is under way')
const HAS_CHANGED = error(
  'ERR a key was changed here while it was moved, so it is in both places; move it again with REPLACE',
)
const DEFAULT_TIMEOUT_MS = 1000

interface MigrateRequest {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly timeoutMs: number
  readonly isCopy: boolean
  readonly replaces: boolean
  readonly auth: readonly string[]
  readonly keys: readonly string[]
}

/** A key on its way. */
interface MovingKey {
  readonly key: string
  readonly restore: readonly string[]
  readonly watch: KeyWatch
}

function migrate(context: CommandContext, argv: readonly string[]): Reply | undefined {
  const request = parseMigrate(argv)
  if ('kind' in request) return request
  const { node, db, session } = context
  // The other server would show what voters may not have yet.
  if (node.replication.strict.isOn) return NOT_STRICT
  if (!session.mayBlock || session.isScript) return IN_TRANSACTION
  if (node.migration.isRunning) return IS_RUNNING
  const moving = gather(context, request)
  if (!Array.isArray(moving)) return moving
  if (moving.length === 0) return NO_KEY
  const { host, port, timeoutMs, auth } = request
  const restores = moving.map(({ restore }) => restore)
  const order = { address: { host, port }, db: request.db, timeoutMs, auth, restores }
  return replyLater(context, (answer) => {
    node.migration.start(order, (result) => {
      const isWhole = request.isCopy || removeMoved(node, db, moving, result)
      for (const { watch } of moving) watch.release()
      answer(replyTo(result, isWhole))
    })
  })
}

function replyTo({ refusal, broken }: MigrationResult, isWhole: boolean): Reply {
  if (refusal !== undefined) return error(`ERR Target instance replied with error: ${refusal}`)
  if (broken !== undefined) return error(`IOERR error or timeout ${broken}`)
  return isWhole ? OK : HAS_CHANGED
}

/** What is sent for each key that is there. */
function gather(
  { db, node, now }: CommandContext,
  { keys, replaces }: MigrateRequest,
): MovingKey[] | Reply {
  const form = node.settings.flag('rdbcompression') ? compressedString : rdbString
  const moving: MovingKey[] = []
  for (const key of keys) {
    const entry = db.findSource(key)
    if (entry === undefined) continue
    const payload = dumpPayload(entry.value, form, MAX_BULK_BYTES)
    if (payload === undefined) return TOO_LONG
    const { expireAtMs } = entry
    const ttlMs = expireAtMs === undefined ? 0 : Math.max(1, expireAtMs - now.wallMs)
    const restore = ['RESTORE', key, String(ttlMs), payload, ...(replaces ? ['REPLACE'] : [])]
    moving.push({ key, restore, watch: new KeyWatch() })
  }
  for (const { key, watch } of moving) watch.add(db, key)
  return moving
}

/** Deletes the keys that the other server has. False: one has changed meanwhile, and stays. */
function removeMoved(
  node: NodeServices,
  db: Db,
  moving: readonly MovingKey[],
  { replies }: MigrationResult,
): boolean {
  // As a replica we hold what our new master holds.
  if (node.replication.isReplica() && node.settings.flag('replica-read-only')) return true
  const arrived = moving.filter(
    (_, at) => replies[at] !== undefined && replies[at].kind !== 'error',
  )
  const same = arrived.filter(({ watch }) => !watch.isBroken)
  const removed = same.filter(({ key }) => db.remove(key)).map(({ key }) => key)
  for (const key of removed) node.keyspaceEvents.tell('del', db.index, key)
  if (removed.length > 0) {
    const deletion = [['DEL', ...removed]]
    node.stats.changes += removed.length
    node.replication.propagate(db.index, deletion)
    node.persistence.propagate(db.index, deletion)
    node.keyspace.settle()
  }
  return same.length === arrived.length
}

type Options = Pick<MigrateRequest, 'isCopy' | 'replaces' | 'auth' | 'keys'>

function parseMigrate(argv: readonly string[]): MigrateRequest | Reply {
  const options = parseMigrateOptions(argv)
  if ('kind' in options) return options
  const [timeoutMs, db] = [parseInteger(argv[5]), parseInteger(argv[4])]
  if (timeoutMs === undefined || db === undefined) return NOT_AN_INTEGER
  return {
    ...options,
    ...{ host: arg(argv, 1), port: portOf(arg(argv, 2)), db },
    timeoutMs: timeoutMs > 0 ? timeoutMs : DEFAULT_TIMEOUT_MS,
  }
}

/** A number that is no port fails like a port at which no process listens. */
function portOf(text: string): number {
  const port = parseInteger(text) ?? 0
  return port > 0 && port < 2 ** 16 ? port : 0
}

function parseMigrateOptions(argv: readonly string[]): Options | Reply {
  let [isCopy, replaces] = [false, false]
  let auth: readonly string[] = []
  for (let at = 6; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    const left = argv.length - at - 1
    if (word === 'COPY') isCopy = true
    else if (word === 'REPLACE') replaces = true
    else if (word === 'AUTH' && left >= 1) auth = ['AUTH', arg(argv, ++at)]
    else if (word === 'AUTH2' && left >= 2) auth = ['AUTH', arg(argv, ++at), arg(argv, ++at)]
    else if (word === 'KEYS') {
      if (argv[3] !== '') return KEY_BESIDE_KEYS
      return { isCopy, replaces, auth, keys: argv.slice(at + 1) }
    } else return SYNTAX_ERROR
  }
  return { isCopy, replaces, auth, keys: [arg(argv, 3)] }
}

// Where the keys are: the third argument, or everything behind KEYS.

/** Undefined: there is a key beside the list, which is an error. */
function listedKeys(argv: readonly string[]): KeyRange | undefined {
  for (let at = 6; at < argv.length; at++) {
    const word = arg(argv, at).toUpperCase()
    if (word === 'KEYS') {
      return argv[3] === '' ? { first: at + 1, last: argv.length - 1 } : undefined
    }
    if (word === 'AUTH') at++
    if (word === 'AUTH2') at += 2
  }
  return NOWHERE
}

function oneKey(argv: readonly string[]): KeyRange | undefined {
  const listed = listedKeys(argv)
  if (listed === undefined) return undefined
  return listed === NOWHERE ? { first: 3, last: 3 } : NOWHERE
}

const KEYS = [
  foundBy(oneKey, '3 RW access delete'),
  foundBy(listedKeys, 'KEYS@-2..-1 RW access delete incomplete'),
]

/** Behind AUTH and AUTH2. */
function passwordsOf(argv: readonly string[]): number[] {
  return argv.flatMap((word, at) => {
    if (/^auth$/i.test(word)) return [at + 1]
    return /^auth2$/i.test(word) ? [at + 1, at + 2] : []
  })
}

export const migrateCommand = command('migrate', -6, 'write', KEYS, migrate, {
  alsoIn: ['@dangerous'],
  tips: ['nondeterministic_output'],
  secrets: passwordsOf,
})
