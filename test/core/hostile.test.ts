/**
 * Whatever strangers, broken peers and lying data nodes send: the machine lives, its epochs stay sane,
 * its memory stays bounded, and what it saves can be read again. The inputs are drawn from a seed, most
 * of them honest ones with something broken, because pure noise is refused at the door.
 */
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { decodeState, encodeState } from '../../src/config/state-file.ts'
import { clientReceived } from '../../src/core/clients/clients.ts'
import { HELLO_CHANNEL } from '../../src/core/discovery/hello-format.ts'
import { savedState } from '../../src/core/persistence/save.ts'
import type { Connection } from '../../src/core/state.ts'
import { step } from '../../src/core/step.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import type { Reply } from '../../src/resp/reply.ts'
import { PEERS, REPLICAS, TestSentinel } from '../support/sentinel-builder.ts'
import { sized } from '../support/sized.ts'

const INPUTS = sized(8_000, 50_000)
/** Every so often a new machine, so that what one input destroyed does not shield it from the others. */
const INPUTS_PER_LIFE = 2_000
/** Seconds of lies, from the reach of strangers at the start. */
const EPOCH_MAX = 2 ** 33

test('random and mutated hellos, questions, INFO texts and commands do no harm', () => {
  for (let life = 0; life * INPUTS_PER_LIFE < INPUTS; life++) {
    const rng = createRng(`hostile ${life}`)
    const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS, currentEpoch: 7 })
    for (let at = 0; at < INPUTS_PER_LIFE; at++) {
      sentinel.advance(rng.below(50))
      attack(sentinel, rng)
      expectSane(sentinel)
    }
    expect(decodeState(encodeState(savedState(sentinel.state)))).toMatchObject({ ok: true })
  }
})

function attack(sentinel: TestSentinel, rng: Rng): void {
  const attacks = [hello, infoReply, oddReply, clientCommand, rawBytes]
  rng.pick(attacks)(sentinel, rng)
  if (sentinel.state.groups.size === 0) say(sentinel, MONITOR)
}

const MONITOR = ['SENTINEL', 'MONITOR', 'mymaster', '10.0.0.1', '6379', '2']

/** Epochs that no honest Sentinel could have reached would poison the cluster for ever. */
function expectSane(sentinel: TestSentinel): void {
  const { state } = sentinel
  const groups = [...state.groups.values()]
  const epochs = groups.flatMap((group) => [group.configEpoch, group.leaderEpoch])
  for (const epoch of [state.currentEpoch, ...epochs]) {
    if (Number.isSafeInteger(epoch) && epoch >= 0 && epoch <= EPOCH_MAX) continue
    throw new Error(`an absurd epoch: ${epoch}`)
  }
  for (const group of groups) {
    if (group.peers.size > 1_000) throw new Error(`${group.peers.size} peers`)
    if (group.replicas.size > 1_000) throw new Error(`${group.replicas.size} replicas`)
  }
}

/** Through a subscription, or straight to our port as peers do. */
function hello(sentinel: TestSentinel, rng: Rng): void {
  const payload = mutate(rng, honestHello(rng), ',')
  if (rng.chance(1, 2)) return say(sentinel, ['PUBLISH', HELLO_CHANNEL, payload])
  const connection = anyConnection(sentinel, rng)
  if (connection === undefined) return
  const event = { kind: 'message', link: connection.id, channel: HELLO_CHANNEL, payload } as const
  sentinel.run((turn) => step(turn.state, turn.now, event))
}

function honestHello(rng: Rng): string {
  const runId = rng.chance(1, 2) ? rng.pick(PEERS).runId : rng.hex(40)
  const host = `10.0.${rng.below(3)}.${rng.below(20)}`
  const master = rng.pick(['10.0.0.1,6379', '10.0.0.2,6380', '10.0.0.9,7000'])
  return `${host},26379,${runId},${rng.below(20)},mymaster,${master},${rng.below(20)}`
}

function infoReply(sentinel: TestSentinel, rng: Rng): void {
  const connection = anyConnection(sentinel, rng)
  if (connection === undefined) return
  const bytes = mutate(rng, honestInfo(rng), rng.pick(['\r\n', ':', ',']))
  reply(sentinel, connection, { kind: 'info' }, { kind: 'bulk', bytes })
}

function honestInfo(rng: Rng): string {
  const lines = [
    '# Server',
    `run_id:${rng.hex(40)}`,
    `role:${rng.pick(['master', 'slave', 'sentinel', ''])}`,
    `master_host:10.0.0.${rng.below(5)}`,
    'master_port:6379',
    `master_link_status:${rng.pick(['up', 'down', 'UP'])}`,
    `master_link_down_since_seconds:${rng.below(100)}`,
    `slave_priority:${rng.below(200)}`,
    `slave_repl_offset:${rng.below(1_000_000)}`,
    `slave0:ip=10.0.0.${rng.below(250)},port=${rng.below(70_000)},state=online,offset=1,lag=0`,
    'slave1:10.0.0.7,6379,online',
  ]
  return lines.join('\r\n')
}

/** Any reply to any question: what a peer of a foreign make or a broken one could say. */
function oddReply(sentinel: TestSentinel, rng: Rng): void {
  const connection = anyConnection(sentinel, rng)
  if (connection === undefined) return
  const kind = rng.pick(['ping', 'hello', 'setup', 'subscribe', 'slaveof'] as const)
  if (kind !== 'hello') return reply(sentinel, connection, { kind }, anyReply(rng, 2))
  const event = { kind: 'message', link: connection.id, channel: 'x', payload: noise(rng) } as const
  sentinel.run((turn) => step(turn.state, turn.now, event))
}

function anyReply(rng: Rng, depth: number): Reply {
  const number = Number(rng.pick(NUMBERS))
  return rng.pick([
    { kind: 'simple', text: rng.pick(['PONG', 'pong', 'OK', noise(rng)]) },
    { kind: 'error', text: rng.pick(['LOADING', 'MASTERDOWN', 'BUSY x', 'NOAUTH', noise(rng)]) },
    { kind: 'bulk', bytes: noise(rng) },
    { kind: 'integer', value: Number.isFinite(number) ? number : 0 },
    { kind: 'null' },
    { kind: 'array', items: depth === 0 ? [] : anyItems(rng, depth) },
  ] as const)
}

function anyItems(rng: Rng, depth: number): readonly Reply[] {
  return Array.from({ length: rng.below(5) }, () => anyReply(rng, depth - 1))
}

const COMMANDS: readonly string[] = [
  'SENTINEL is-master-down-by-addr 10.0.0.1 6379 8 *',
  'SENTINEL is-master-down-by-addr 10.0.0.1 6379 9 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'SENTINEL MONITOR other 10.0.0.8 6379 2',
  'SENTINEL SET mymaster down-after-milliseconds 1000',
  'SENTINEL SET mymaster quorum 2 failover-timeout 1000',
  'SENTINEL REMOVE other',
  'SENTINEL RESET my*',
  'SENTINEL FAILOVER mymaster',
  'SENTINEL MASTERS',
  'SENTINEL REPLICAS mymaster',
  'SENTINEL SENTINELS mymaster',
  'SENTINEL INFO-CACHE mymaster',
  'SENTINEL CKQUORUM mymaster',
  'SENTINEL CONFIG SET announce-ip 10.0.0.99',
  'SENTINEL DEBUG info-period 1000',
  'SENTINEL PENDING-SCRIPTS',
  'CLIENT KILL TYPE normal',
  'CLIENT LIST',
  'SUBSCRIBE +sdown',
  'HELLO 3',
  'INFO',
  'COMMAND',
]

function clientCommand(sentinel: TestSentinel, rng: Rng): void {
  const separator = '\u0000'
  const words = rng.pick(COMMANDS).replaceAll(' ', separator)
  say(sentinel, mutate(rng, words, separator).split(separator))
}

function rawBytes(sentinel: TestSentinel, rng: Rng): void {
  const honest = encodeCommand(rng.pick(COMMANDS).split(' '))
  const client = sentinel.connect()
  sentinel.run((turn) => clientReceived(turn, client.id, mutate(rng, honest, '\r\n')))
  leave(sentinel, client.id)
}

function say(sentinel: TestSentinel, argv: readonly string[]): void {
  const client = sentinel.connect()
  sentinel.run((turn) => clientReceived(turn, client.id, encodeCommand(argv)))
  leave(sentinel, client.id)
}

function leave(sentinel: TestSentinel, client: number): void {
  sentinel.run((turn) => step(turn.state, turn.now, { kind: 'clientClosed', client }))
}

type Purpose = { readonly kind: 'info' | 'ping' | 'setup' | 'subscribe' | 'slaveof' }

function reply(sentinel: TestSentinel, { id }: Connection, purpose: Purpose, answer: Reply): void {
  const event = { kind: 'reply', link: id, purpose, reply: answer } as const
  sentinel.run((turn) => step(turn.state, turn.now, event))
}

function anyConnection(sentinel: TestSentinel, rng: Rng): Connection | undefined {
  const all = [...sentinel.state.connections.values()]
  return all.length === 0 ? undefined : rng.pick(all)
}

const NUMBERS: readonly string[] = [
  '-1',
  '0',
  '65536',
  '4294967296',
  '281474976710657',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551615',
  '-9223372036854775808',
  '99999999999999999999999',
  '1e5',
  '0x10',
  ' 5',
  '5 ',
  '',
  'NaN',
]

/** Nothing, one thing, or a few things wrong with it. */
function mutate(rng: Rng, text: string, separator: string): string {
  let result = text
  for (let left = rng.below(4); left > 0; left--) result = mutateOnce(rng, result, separator)
  return result
}

function mutateOnce(rng: Rng, text: string, separator: string): string {
  const tokens = text.split(separator)
  const at = rng.below(tokens.length)
  const cut = rng.below(text.length + 1)
  const changes: (() => string)[] = [
    () => tokens.with(at, rng.pick(NUMBERS)).join(separator),
    () => tokens.with(at, noise(rng)).join(separator),
    () => tokens.toSpliced(at, 1).join(separator),
    () => tokens.toSpliced(at, 0, tokens[at] ?? '').join(separator),
    () => text.slice(0, cut),
    () => text.slice(0, cut) + noise(rng) + text.slice(cut),
    () => text.slice(0, cut) + String.fromCharCode(rng.below(256)) + text.slice(cut + 1),
    () => text.toUpperCase(),
  ]
  return rng.pick(changes)()
}

function noise(rng: Rng): string {
  const length = rng.chance(1, 50) ? 5_000 : rng.below(12)
  return Array.from({ length }, () => String.fromCharCode(rng.below(256))).join('')
}
