/**
 * Hostile masters: a real conversation, damaged in one place or everywhere and delivered in pieces of any
 * size. The replica keeps its data until a copy has arrived completely, tries again, and gets in sync with
 * the next healthy master.
 */
import { assert } from '../../src/base/assert.ts'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import type { ConnectionId } from '../../src/server/port.ts'
import { crc64 } from '../../src/server/rdb/crc64.ts'
import { RdbReader } from '../../src/server/rdb/rdb-reader.ts'
import { keyspaceDigest } from '../../src/server/values/digest.ts'
import { assertLines } from './hostile-run.ts'
import { emptyTables } from './key-tables.ts'
import { changeBytes, changeNumber, mutateBytes, swapParts } from './mutate-bytes.ts'
import { NodeHarness } from './node-harness.ts'
import { randomCommands } from './random-commands.ts'
import { readEverything } from './read-everything.ts'

/** What a master answers to what. */
interface Conversation {
  readonly pong: string
  readonly ok: string
  readonly info: string
  /** The answer to PSYNC: the line, the header and the payload, and the commands after it. */
  readonly line: string
  readonly payload: string
  readonly stream: string
}

interface Sample extends Conversation {
  readonly digest: string
  readonly endOffset: number
}

type Part = keyof Conversation

const MASTER = {
  remoteHost: '10.0.0.2',
  remotePort: 6379,
  localHost: '10.0.0.1',
  localPort: 50_000,
}
const SEEDS = 16
const COMMANDS = 60
/** Longer than [repl-timeout]. */
const PATIENCE_MS = 70_000
const MAX_CONNECTIONS = 8
const GUARD = 'replica-empty-master-guard'

let samples: readonly Sample[] | undefined

function sample(n: number): Sample {
  const master = new NodeHarness({ save: '', 'repl-diskless-sync-delay': '0' })
  const commands = randomCommands(createRng(`master ${n}`))
  const writer = master.client()
  for (let count = 0; count < COMMANDS; count++) writer.send(...commands.next().value)
  writer.send('DISCARD')
  const replica = master.client()
  if (n % 2 === 0) replica.say('REPLCONF capa eof capa psync2')
  const copy = replica.say('PSYNC ? -1') + later(master, replica)
  replica.say('REPLCONF ACK 0')
  let stream = later(master, replica)
  for (let count = 0; count < COMMANDS; count++) writer.send(...commands.next().value)
  writer.send('DISCARD')
  stream += later(master, replica)
  const start = copy.indexOf('$')
  const info = master.client().say('INFO')
  return {
    ...{ pong: '+PONG\r\n', ok: '+OK\r\n', info, stream },
    ...{ line: copy.slice(copy.indexOf('+FULL'), start), payload: copy.slice(start) },
    digest: keyspaceDigest(master.node.keyspace),
    endOffset: Number(/master_repl_offset:(\d+)/.exec(info)?.[1]),
  }
}

function later(master: NodeHarness, replica: { take(): string }): string {
  let bytes = ''
  for (let turns = 0; turns < 5; turns++) {
    master.advance(100)
    bytes += replica.take()
  }
  return bytes
}

/** A node whose connections to a master lead to the test. */
class Follower extends NodeHarness {
  connecting: ConnectionId | undefined
  connection: ConnectionId | undefined
  #written = ''

  override connect(id: ConnectionId = 0): void {
    this.connecting = id
  }

  override write(id: ConnectionId, bytes: string): void {
    if (id > 0) super.write(id, bytes)
    else if (id === this.connection) this.#written += bytes
  }

  override close(id: ConnectionId): void {
    if (id > 0) super.close(id)
    if (id === this.connection) this.connection = undefined
    if (id === this.connecting) this.connecting = undefined
  }

  /** Lets time pass until the node wants to connect, and connects it. */
  open(): void {
    for (let ms = 0; this.connecting === undefined && ms < PATIENCE_MS; ms += 100) this.advance(100)
    const id = this.connecting
    assert(id !== undefined, 'a replica tries again')
    this.connecting = undefined
    this.connection = id
    this.#written = ''
    this.node.connected(this.now, id, MASTER)
  }

  deliver(bytes: string): void {
    if (this.connection !== undefined) this.node.received(this.now, this.connection, bytes)
  }

  hangUp(): void {
    const id = this.connection
    this.connection = undefined
    if (id !== undefined) this.node.closed(this.now, id, 'closed by the other side')
  }

  takeWritten(): string {
    const written = this.#written
    this.#written = ''
    return written
  }

  override info(field: string): string | undefined {
    return new RegExp(`^${field}:(.*)\r$`, 'm').exec(this.client().say('INFO replication'))?.[1]
  }

  get hasOldData(): boolean {
    return this.node.keyspace.dbs[0]?.entries.has('mine') === true
  }
}

export function hostileMaster(rng: Rng): string {
  samples ??= Array.from({ length: SEEDS }, (_, n) => sample(n))
  const replica = newReplica(rng)
  const oldDigest = keyspaceDigest(replica.node.keyspace)
  const sent = misled(replica, hostile(rng.pick(samples), rng), rng)
  const outcome = judged(replica, oldDigest, sent)
  assertLines(replica.logs)
  if (rng.chance(1, 8)) readEverything(replica)
  if (rng.chance(7, 8)) replica.hangUp()
  return comesInStep(replica, rng.pick(samples), rng) ? outcome : `${outcome}, guarded`
}

/** A node with its own data, which may have been a master, that is told to follow. */
function newReplica(rng: Rng): Follower {
  const replica = new Follower({ save: '', [GUARD]: rng.pick(['yes', 'no']) })
  const client = replica.client()
  if (rng.chance(1, 2)) replica.replica()
  for (const line of ['SET mine x', 'RPUSH list a b', 'SELECT 3', 'SADD set 1 2']) client.say(line)
  client.send('REPLICAOF', MASTER.remoteHost, '6379')
  return replica
}

/** What such a master answers to a request. */
type Answers = (argv: readonly string[]) => string

function answersOf(said: Conversation): Answers {
  return (argv) => {
    switch (argv[0]?.toUpperCase()) {
      case 'PING':
        return said.pong
      case 'INFO':
        return said.info
      case 'PSYNC':
        return said.line + said.payload + said.stream
      case 'SYNC':
        return said.payload + said.stream
      case 'REPLCONF':
        return argv[1] === 'ACK' ? '' : said.ok
      default:
        return said.ok
    }
  }
}

function hostile(sound: Conversation, rng: Rng): Answers {
  if (rng.chance(1, 4)) return atOnce(sound, rng)
  const said: Record<Part, string> = { ...sound }
  for (let left = 1 + rng.below(2); left > 0; left--) {
    const part = rng.pick<Part>(PARTS)
    said[part] = part === 'payload' ? mutatedPayload(said[part], rng) : mutated(said[part], rng)
  }
  return answersOf(said)
}

const PARTS: readonly Part[] = [
  ...(['pong', 'ok', 'info', 'line'] as const),
  ...(['payload', 'payload', 'payload', 'stream', 'stream', 'stream'] as const),
]

/** Everything it would ever say, in answer to the first question. */
function atOnce(sound: Conversation, rng: Rng): Answers {
  const { pong, ok, info, line, payload, stream } = sound
  const all = pong + ok + ok + (rng.chance(1, 3) ? info : '') + line + payload + stream
  const bytes = mutated(all, rng)
  let isSaid = false
  return () => {
    const answer = isSaid ? '' : bytes
    isSaid = true
    return answer
  }
}

function mutated(bytes: string, rng: Rng): string {
  if (bytes === '') return '\r\n'
  const ways = [mutateBytes, mutateBytes, changeBytes, changeBytes, changeNumber, swapParts]
  return rng.pick(ways)(bytes, rng)
}

/** Header and data; if the data are damaged, their length and checksum may be corrected. */
function mutatedPayload(bytes: string, rng: Rng): string {
  if (rng.chance(1, 4)) return mutated(bytes, rng)
  const [header = '', length, mark] = /^\$(?:(\d+)|EOF:(.{40}))\r\n/.exec(bytes) ?? []
  const end = mark === undefined ? bytes.length : bytes.length - mark.length
  const data = bytes.slice(header.length, end - 8)
  const body = rng.chance(1, 4) ? data : mutated(data, rng)
  const footer = rng.pick(['\0'.repeat(8), crc64(body), crc64(body), bytes.slice(end - 8, end)])
  const whole = body + footer
  if (length === undefined) return header + whole + mutatedMark(bytes.slice(end), rng)
  const exact = whole.length
  const sizes = [exact, exact, exact, exact, Number(length), exact + 1, exact - 1, exact + 10 ** 6]
  return `$${rng.pick(sizes)}\r\n${whole}`
}

function mutatedMark(mark: string, rng: Rng): string {
  return rng.chance(1, 4) ? changeBytes(mark, rng) : mark
}

/**
 * Lets the replica talk with such a master until one of them has nothing more to say. Returns what
 * was sent.
 */
function misled(replica: Follower, answers: Answers, rng: Rng): string {
  const maxChunkBytes = rng.pick([1, 40, 40, 1000, 1000, 100_000])
  let sent = ''
  replica.open()
  const decoder = new RequestDecoder()
  let queue = ''
  for (;;) {
    queue += answered(replica, decoder, answers)
    if (queue === '' || replica.connection === undefined) return sent
    // Byte by byte only at the beginning: the rest would take too long.
    const bound = sent.length > 2_000 ? Math.max(200, maxChunkBytes) : maxChunkBytes
    const chunk = queue.slice(0, 1 + rng.below(bound))
    queue = queue.slice(chunk.length)
    sent += chunk
    replica.deliver(chunk)
    if (!replica.hasOldData) assert(mayReplace(sent), 'only a whole copy replaces the old data')
    if (rng.chance(1, 20)) replica.advance(rng.below(50))
  }
}

function answered(replica: Follower, decoder: RequestDecoder, answers: Answers): string {
  decoder.push(replica.takeWritten())
  let bytes = ''
  for (let next = decoder.next(); next !== undefined; next = decoder.next()) {
    assert(next.kind === 'command', 'a replica speaks the protocol')
    bytes += answers(next.argv)
  }
  return bytes
}

/** Whether it contains a whole payload, or a stream with arbitrary commands. */
function mayReplace(sent: string): boolean {
  if (/^\+CONTINUE/m.test(sent)) return true
  const headers = sent.matchAll(/\$(?:(\d+)|EOF:([^\n]{40}))\r?\n/g)
  return [...headers].some(({ 0: header, 1: length, 2: mark, index }) => {
    const body = sent.slice(index + header.length)
    const reader = new RdbReader(emptyTables(16), 0)
    const read = reader.push(length === undefined ? body : body.slice(0, Number(length)))
    if (read.kind !== 'done') return false
    return mark === undefined ? body.length >= Number(length) : read.rest.startsWith(mark)
  })
}

function judged(replica: Follower, oldDigest: string, sent: string): string {
  if (/^\+CONTINUE/m.test(sent)) return 'continued'
  if (!replica.hasOldData) return replica.connection === undefined ? 'copied, lost' : 'copied'
  assert(keyspaceDigest(replica.node.keyspace) === oldDigest, 'the old data are kept as they were')
  return 'refused'
}

/** The next master is healthy. False if it took turning off the guard against emptied masters. */
function comesInStep(replica: Follower, sound: Sample, rng: Rng): boolean {
  const client = replica.client()
  if (follows(replica, sound, rng)) return true
  assert(
    client.say(`CONFIG GET ${GUARD}`).includes('yes'),
    'nothing but the guard refuses a master',
  )
  assert(client.say(`CONFIG SET ${GUARD} no`) === '+OK\r\n', 'the guard can be turned off')
  assert(follows(replica, sound, rng), 'a replica comes in step with a sound master')
  return false
}

function follows(replica: Follower, sound: Sample, rng: Rng): boolean {
  if (replica.connection !== undefined) outwaited(replica)
  const answers = answersOf(sound)
  for (let connections = 0; connections < MAX_CONNECTIONS; connections++) {
    misledNot(replica, answers, rng)
    if (replica.connection === undefined) continue
    assert(replica.info('master_link_status') === 'up', 'whom it stays with it follows')
    assert(keyspaceDigest(replica.node.keyspace) === sound.digest, 'it has what its master has')
    const offset = Number(replica.info('slave_repl_offset'))
    assert(offset === sound.endOffset, `it is where its master is: ${offset}`)
    return true
  }
  return false
}

function misledNot(replica: Follower, answers: Answers, rng: Rng): void {
  replica.open()
  const decoder = new RequestDecoder()
  for (;;) {
    const queue = answered(replica, decoder, answers)
    if (queue === '' || replica.connection === undefined) return
    const at = rng.below(queue.length)
    replica.deliver(queue.slice(0, at))
    replica.deliver(queue.slice(at))
  }
}

/** The replica leaves a master that has fallen silent. */
function outwaited(replica: Follower): void {
  for (let ms = 0; replica.connection !== undefined && ms < PATIENCE_MS; ms += 1000) {
    replica.advance(1000)
  }
  assert(replica.connection === undefined, 'a silent master is left')
}

/** For tests: an unharmed conversation ends in sync. */
export function soundMaster(rng: Rng): void {
  samples ??= Array.from({ length: SEEDS }, (_, n) => sample(n))
  for (const sound of samples) assert(comesInStep(newReplica(rng), sound, rng), 'in step')
}
