/**
 * A master that says anything at all: bytes of a sound conversation, changed, cut, repeated and mixed. The
 * replica never fails over it, and gives up what it has for nothing but a copy that is whole.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { crc64 } from '../../../src/server/rdb/crc64.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)]
const ENDS = { remoteHost: '10.0.0.2', remotePort: 6379, localHost: '10.0.0.1', localPort: 50_000 }

const INFO_TEXT = [
  '# Replication',
  'role:master',
  `master_replid:${A}`,
  `master_replid2:${B}`,
  'master_repl_offset:1000',
  'second_repl_offset:500',
  '',
].join('\r\n')

function payload(): string {
  const body = `REDIS0009\xfa\x0erepl-stream-db\xc0\x00\xfe\x00\x00\x03key\x05value\xff`
  return body + crc64(body)
}

/** A conversation that ends in a stream, as its lines and pieces. */
const PIECES: readonly string[] = [
  '+PONG\r\n',
  '+OK\r\n',
  '+OK\r\n',
  `$${INFO_TEXT.length}\r\n${INFO_TEXT}\r\n`,
  '\n',
  `+FULLRESYNC ${A} 1000\r\n`,
  `+CONTINUE ${A}\r\n`,
  '-LOADING not now\r\n',
  '-ERR no\r\n',
  '\n',
  `$${payload().length}\r\n`,
  `$EOF:${B}\r\n`,
  payload(),
  B,
  encodeCommand(['SELECT', '0']),
  encodeCommand(['SET', 'k', 'v']),
  encodeCommand(['MULTI']),
  encodeCommand(['DEL', 'k']),
  encodeCommand(['EXEC']),
  encodeCommand(['REPLCONF', 'GETACK', '*']),
  encodeCommand(['ping']),
  'SET inline x\r\n',
  '*-1\r\n',
  '$536870913\r\n',
]

type Change = (bytes: string) => string

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(
    ([at, byte]): Change =>
      (bytes) =>
        replaced(bytes, at % (bytes.length + 1), String.fromCharCode(byte)),
  ),
  fc.nat().map(
    (at): Change =>
      (bytes) =>
        bytes.slice(0, at % (bytes.length + 1)),
  ),
  fc.tuple(fc.nat(), fc.nat()).map(
    ([from, length]): Change =>
      (bytes) => {
        const start = from % (bytes.length + 1)
        return bytes.slice(0, start) + bytes.slice(start + (length % 50))
      },
  ),
)

function replaced(bytes: string, at: number, byte: string): string {
  return bytes.slice(0, at) + byte + bytes.slice(at + 1)
}

const conversation = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.integer({ min: 4, max: PIECES.length - 1 }), { maxLength: 12 }),
    fc.array(change, { maxLength: 3 }),
  )
  .map(([greets, picks, changes]) => {
    const greeting = greets ? PIECES.slice(0, 4) : PIECES.slice(0, 3)
    const whole = [...greeting, ...picks.map((at) => PIECES[at])].join('')
    return changes.reduce((bytes, one) => one(bytes), whole)
  })

/** A replica with one key of its own that has just connected. */
function replica(isDemoted: boolean): { harness: NodeHarness; connection: number } {
  const harness = new NodeHarness({ save: '' })
  const client = harness.client()
  if (isDemoted) harness.replica()
  client.send('SET', 'mine', 'x')
  client.send('REPLICAOF', ENDS.remoteHost, '6379')
  harness.advance(1)
  harness.node.connected(harness.now, -1, ENDS)
  return { harness, connection: -1 }
}

test('whatever a master says, nothing fails, and no half of it is taken for the whole', () => {
  fc.assert(
    fc.property(
      conversation,
      fc.boolean(),
      fc.integer({ min: 1, max: 200 }),
      (bytes, demoted, step) => {
        const { harness, connection } = replica(demoted)
        for (let at = 0; at < bytes.length; at += step) {
          harness.node.received(harness.now, connection, bytes.slice(at, at + step))
        }
        harness.advance(6000)
        const client = harness.client()
        const kept = client.say('GET mine')
        // Either the old data, or all of the copy and what followed it.
        if (kept === '$-1\r\n') expect(client.say('EXISTS key')).toBe(':1\r\n')
        else expect(kept).toBe('$1\r\nx\r\n')
      },
    ),
    { numRuns: sized(120, 300) },
  )
})
