/** The proxy cuts what clients and servers send at the same places as the decoders of the data node. */
import { expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { Answers } from '../../src/proxy/answers.ts'
import { Requests, wordsOf } from '../../src/proxy/requests.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { ReplyDecoder } from '../../src/resp/reply-decoder.ts'
import { RequestDecoder } from '../../src/resp/request-decoder.ts'
import { mutateBytes } from '../support/mutate-bytes.ts'
import { A, ProxyStage } from '../support/proxy-stage.ts'

const COMMANDS = [
  ...[encodeCommand(['SET', 'a', 'b']), 'GET a\r\n', '\r\n', encodeCommand(['PING'])],
  ...['*0\r\n', '*-1\r\n', encodeCommand(['SET', 'k', 'v'.repeat(3_000)]), 'set "a b" \'c\'\n'],
  ...[encodeCommand(['']), '*1\r\n$4\r\n\r\n\r\n\r\n'],
].join('')
const REPLIES = [
  ...['+OK\r\n', ':1\r\n', '-ERR no\r\n', '$-1\r\n', '*-1\r\n', '$3\r\na\r\n\r\n', '*0\r\n'],
  ...['*2\r\n*1\r\n:1\r\n$2\r\nhi\r\n', '%1\r\n+a\r\n~2\r\n:1\r\n:2\r\n', '_\r\n', '#t\r\n'],
  ...[
    ',1.5\r\n',
    '(123\r\n',
    '=7\r\ntxt:abc\r\n',
    '|1\r\n+k\r\n+v\r\n:5\r\n',
    '>2\r\n+a\r\n+b\r\n',
  ],
  ...[`$3000\r\n${'x'.repeat(3_000)}\r\n`, `*2\r\n$900\r\n${'y'.repeat(900)}\r\n:1\r\n`],
].join('')

function* pieces(bytes: string, size: number): Generator<string> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

/** The commands that go on, and what ended the stream, if anything did. */
function cutRequests(bytes: string, size: number): string[] {
  const requests = new Requests()
  const cut: string[] = []
  let isOpen = false
  for (const piece of pieces(bytes, size)) {
    requests.push(piece)
    for (let next = requests.next(); next !== undefined; next = requests.next()) {
      if (next.kind === 'fault') return [...cut, next.text]
      if (isOpen) cut.push((cut.pop() ?? '') + next.bytes)
      else cut.push(next.bytes)
      isOpen = next.kind === 'begin' || (next.kind === 'more' && !next.isLast)
    }
  }
  return cut.map((command) => JSON.stringify(wordsOf(command)))
}

function decodeRequests(bytes: string): string[] {
  const decoder = new RequestDecoder()
  decoder.push(bytes)
  const decoded: string[] = []
  for (let next = decoder.next(); next !== undefined; next = decoder.next()) {
    if (next.kind === 'command') decoded.push(JSON.stringify(next.argv))
  }
  return decoded
}

function cutAnswers(bytes: string, size: number): string[] {
  const answers = new Answers()
  const cut: string[] = []
  let isOpen = false
  for (const piece of pieces(bytes, size)) {
    answers.push(piece)
    for (let next = answers.next(); next !== undefined; next = answers.next()) {
      if (next.kind === 'fault') return [...cut, 'fault']
      if (isOpen) cut.push((cut.pop() ?? '') + next.bytes)
      else cut.push(next.bytes)
      isOpen = next.kind === 'begin' || (next.kind === 'more' && !next.isLast)
    }
  }
  return cut
}

test.each([1, 2, 7, 100, 1_000_000])('commands are cut alike in pieces of %i bytes', (size) => {
  expect(cutRequests(COMMANDS, size)).toEqual(decodeRequests(COMMANDS))
})

test.each([1, 2, 7, 100, 1_000_000])('replies are cut alike in pieces of %i bytes', (size) => {
  const cut = cutAnswers(REPLIES, size)
  expect(cut.join('')).toBe(REPLIES)
  const decoder = new ReplyDecoder()
  decoder.push(REPLIES)
  let replies = 0
  while (decoder.next() !== undefined) replies++
  expect(cut.length).toBe(replies)
})

test('a long command leaves before it is complete, and nothing of it is kept', () => {
  const requests = new Requests()
  let most = 0
  let passed = 0
  const bytes = encodeCommand(['SET', 'a', 'x'.repeat(5_000_000)])
  for (const piece of pieces(bytes, 50_000)) {
    requests.push(piece)
    for (let next = requests.next(); next !== undefined; next = requests.next()) {
      if (next.kind !== 'fault') passed += next.bytes.length
    }
    most = Math.max(most, requests.pendingBytes)
  }
  expect([passed, most < 150_000]).toEqual([bytes.length, true])
})

test('a thousand mutated streams of clients and servers harm nobody else, and stay small', () => {
  const rng = createRng('proxy/hostile')
  const stage = new ProxyStage()
  const other = stage.client()
  other.sends('PING')
  for (let round = 0; round < 1_000; round++) {
    const client = stage.client()
    for (const piece of pieces(mutateBytes(COMMANDS, rng), 1 + rng.below(4_000))) {
      if (!client.isClosed) client.sendsBytes(piece)
    }
    const id = stage.newestConnection()
    if (id !== undefined && !client.isClosed) {
      for (const piece of pieces(mutateBytes(REPLIES, rng), 1 + rng.below(4_000))) {
        stage.receive(id, piece)
      }
    }
    if (!client.isClosed) client.leaves()
  }
  expect([stage.proxy.clients, stage.proxy.counts.heldBytes]).toEqual([1, 0])
  expect(stage.connections(A)).toBe(1)
  stage.server(A).says('+PONG')
  expect(other.takes()).toBe('+PONG\r\n')
})
