/**
 * Drawn pipelines through a change of the master, cut at drawn places in both directions: whatever comes together, each
 * command gets one answer, in order, and no write is carried out twice.
 */
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { encodeCommand, encodeReply } from '../../src/resp/encode.ts'
import { array, bulk, error, integer, OK, type Reply, simple } from '../../src/resp/reply.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { A, B, ProxyStage, type StageServer } from '../support/proxy-stage.ts'

const STEPS = 30
const READONLY = error("READONLY You can't write against a read only replica.")
const ABORTED = error('EXECABORT Transaction discarded because of previous errors.')
const LONG_BYTES = 2_000

/** How often each key was written, on all nodes. */
type Writes = Map<string, number>

/** A data node: it carries out what it was sent when it is told to, and answers when it is told to. */
class Node {
  isDemoted = false
  readonly #stage: ProxyStage
  readonly #address: string
  readonly #writes: Writes
  #owed: string[] = []
  #answers = ''
  #queued: string[] | undefined
  #isAborted = false

  constructor(stage: ProxyStage, address: string, writes: Writes) {
    this.#stage = stage
    this.#address = address
    this.#writes = writes
  }

  /** Carries out up to so many commands. */
  work(most: number): void {
    this.#owed.push(...(this.#server()?.takes() ?? []))
    for (const command of this.#owed.splice(0, most)) {
      this.#answers += encodeReply(this.#answer(command.split(' ')), 2)
    }
  }

  /** Sends up to so many bytes of its answers. */
  answer(most: number): void {
    const bytes = this.#answers.slice(0, most)
    this.#answers = this.#answers.slice(most)
    if (bytes !== '') this.#server()?.saysBytes(bytes)
  }

  breaks(): void {
    this.#server()?.breaks()
    this.#owed = []
    this.#answers = ''
  }

  #server(): StageServer | undefined {
    return this.#stage.connections(this.#address) === 1
      ? this.#stage.server(this.#address)
      : undefined
  }

  #answer([name = '', key = '']: readonly string[]): Reply {
    if (name === 'MULTI') {
      this.#queued = []
      this.#isAborted = false
      return OK
    }
    if (name === 'EXEC') return this.#exec()
    if (name === 'INCR' && this.isDemoted) {
      this.#isAborted = true
      return READONLY
    }
    if (name === 'INCR' && this.#queued !== undefined) {
      this.#queued.push(key)
      return simple('QUEUED')
    }
    if (name === 'INCR') return this.#write(key)
    return name === 'GET' ? bulk(key.startsWith('long') ? key.padEnd(LONG_BYTES) : key) : OK
  }

  #exec(): Reply {
    const queued = this.#queued ?? []
    this.#queued = undefined
    return this.#isAborted ? ABORTED : array(queued.map((key) => this.#write(key)))
  }

  #write(key: string): Reply {
    this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1)
    return integer(1)
  }
}

function drawCommands(rng: Rng, at: number): readonly string[] {
  switch (rng.below(12)) {
    case 0:
      return ['MULTI', `INCR transaction-${at}`, 'EXEC']
    case 1:
      return ['SELECT 0']
    case 2:
      return [`GET long-${at}`]
    default:
      return [rng.chance(1, 2) ? `INCR write-${at}` : `GET read-${at}`]
  }
}

interface Played {
  readonly sent: readonly string[]
  readonly replies: readonly Reply[]
  readonly writes: Writes
  readonly isClosed: boolean
}

function play(seed: number): Played {
  const rng = createRng(`proxy/pipelines/${seed}`)
  const stage = new ProxyStage()
  const client = stage.client()
  const writes: Writes = new Map()
  const nodes = [A, B].map((address) => new Node(stage, address, writes))
  const [first, second] = nodes as [Node, Node]
  const sent: string[] = []
  const faultAt = rng.below(STEPS)
  let toSend = ''
  for (let step = 0; step < STEPS && !client.isClosed; step++) {
    for (let count = rng.below(12); count > 0; count--) {
      const commands = drawCommands(rng, sent.length)
      sent.push(...commands)
      toSend += commands.map((words) => encodeCommand(words.split(' '))).join('')
    }
    const now = rng.chance(1, 2) ? toSend.length : rng.below(toSend.length + 1)
    if (now > 0) client.sendsBytes(toSend.slice(0, now))
    toSend = toSend.slice(now)
    for (const node of nodes) {
      node.work(rng.below(12))
      node.answer(rng.below(400))
    }
    if (step === faultAt) strike(stage, first, rng)
    stage.pass(rng.below(20))
  }
  if (toSend !== '' && !client.isClosed) client.sendsBytes(toSend)
  for (let round = 0; round < 40; round++) {
    for (const node of [first, second]) {
      node.work(1_000)
      node.answer(1_000_000)
    }
    stage.pass(20)
  }
  return { sent, replies: decode(client.got), writes, isClosed: client.isClosed }
}

/** The master dies with a part of what it was sent done and not answered, or is demoted. */
function strike(stage: ProxyStage, master: Node, rng: Rng): void {
  if (rng.chance(1, 2)) {
    master.work(rng.below(12))
    stage.refused.add(A)
    master.breaks()
  } else {
    master.isDemoted = true
    master.work(rng.below(12))
    master.answer(rng.below(400))
  }
  stage.switchTo(B)
}

function decode(bytes: string): Reply[] {
  const decoder = new ReplyDecoder()
  decoder.push(bytes)
  const replies: Reply[] = []
  for (let next = decoder.next(); next !== undefined; next = decoder.next()) {
    if (next.kind === 'malformed') throw new Error('no RESP')
    replies.push(next)
  }
  return replies
}

/** What is wrong with the answer to this command; undefined: nothing. */
function complaint(command: string, reply: Reply, queuedKey: string, writes: Writes): unknown {
  const [name = '', key = ''] = command.split(' ')
  const written = name === 'EXEC' ? queuedKey : key
  const times = writes.get(written) ?? 0
  const isUnanswered = reply.kind === 'error' && reply.text.startsWith('UNANSWERED')
  if (name === 'GET') return reply.kind === 'bulk' && reply.bytes.trim() === key ? undefined : reply
  if (name === 'SELECT' || name === 'MULTI') return reply.kind === 'simple' ? undefined : reply
  const isQueued = reply.kind === 'simple' && reply.text === 'QUEUED'
  if (key.startsWith('transaction')) return isQueued ? undefined : reply
  if (isUnanswered) return times <= 1 ? undefined : [reply, times]
  const isDone = reply.kind === (name === 'EXEC' ? 'array' : 'integer')
  return isDone && times === 1 ? undefined : [reply, times]
}

test('each command of three hundred drawn pipelines gets its answer, and no write is done twice', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { sent, replies, writes, isClosed } = play(seed)
    if (!isClosed) expect([seed, replies.length]).toEqual([seed, sent.length])
    for (const [at, reply] of replies.entries()) {
      const queuedKey = (sent[at - 1] ?? '').split(' ')[1] ?? ''
      const wrong = complaint(sent[at] ?? '', reply, queuedKey, writes)
      expect([seed, at, sent[at], wrong]).toEqual([seed, at, sent[at], undefined])
    }
    expect([seed, Math.max(0, ...writes.values()) <= 1]).toEqual([seed, true])
  }
})
