/** Plain commands go on together, and are commands of their own as soon as one of them needs that. */
import { describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { Answers } from '../../src/proxy/answers.ts'
import { newAsked } from '../../src/proxy/asked.ts'
import { CommandKinds } from '../../src/proxy/command-kinds.ts'
import { PlainCommands } from '../../src/proxy/plain-commands.ts'
import { Requests } from '../../src/proxy/requests.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { mutateBytes } from '../support/mutate-bytes.ts'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const READONLY = "-READONLY You can't write against a read only replica."
const COMMANDS = [
  ...['SET a 1', 'GET a', 'set b 22', 'Get b', 'MULTI', 'INCR c', 'EXEC', 'BLPOP q 1', 'INCR d'],
  ...['FROBNICATE x', 'SUBSCRIBE s', 'DEL a b c d e f g h i j k', 'SELECT 1', 'GET a', 'QUIT'],
].map((words) => encodeCommand(words.split(' ')))
const BYTES = [
  ...COMMANDS,
  ...['GET inline\r\n', '\r\n', '*0\r\n', '*01\r\n$4\r\nPING\r\n', encodeCommand(['SET', 'k', ''])],
  ...[encodeCommand(['SET', 'k', 'v'.repeat(3_000)]), encodeCommand(['GET', 'a'])],
].join('')
const REPLIES = [
  ...['+OK\r\n', ':1\r\n', '$3\r\na\r\n\r\n', '*2\r\n*1\r\n:1\r\n$2\r\nhi\r\n', '-ERR no\r\n'],
  ...[
    '>2\r\n+a\r\n+b\r\n',
    '$-1\r\n',
    '|1\r\n+k\r\n+v\r\n:5\r\n',
    `$900\r\n${'x'.repeat(900)}\r\n`,
  ],
].join('')

function* pieces(bytes: string, size: number): Generator<string> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

interface Cut {
  readonly bytes: string
  readonly commands: number
  readonly text: string
}

function cutRequests(bytes: string, size: number, plain?: PlainCommands): Cut {
  const requests = new Requests()
  const all = { bytes: '', commands: 0, text: '' }
  for (const piece of pieces(bytes, size)) {
    requests.push(piece)
    for (let next = requests.next(plain, 3); next !== undefined; next = requests.next(plain, 3)) {
      if (next.kind === 'fault') return { ...all, text: next.text }
      all.bytes += next.bytes
      if (next.kind === 'plain') all.commands += plain?.count ?? 0
      else if (next.kind !== 'more') all.commands++
    }
  }
  return all
}

const PLAIN = new PlainCommands(new CommandKinds())

test.each([1, 7, 40, 1_000_000])('nothing is cut differently in pieces of %i bytes', (size) => {
  expect(cutRequests(BYTES, size, PLAIN)).toEqual(cutRequests(BYTES, size))
  const rng = createRng('proxy/plain')
  for (let round = 0; round < 300; round++) {
    const mutated = mutateBytes(BYTES, rng)
    expect(cutRequests(mutated, size, PLAIN)).toEqual(cutRequests(mutated, size))
  }
})

test('only reads and writes that are answered at once go together', () => {
  const ofOne = COMMANDS.map((command) => {
    const end = PLAIN.scan(command, 0, 9)
    return end === command.length ? PLAIN.kind : 'none'
  })
  expect(ofOne).toEqual([
    ...['write', 'read', 'write', 'none', 'none', 'write', 'none', 'none', 'write'],
    ...['none', 'none', 'write', 'none', 'read', 'none'],
  ])
})

test.each(['SET a 1', 'GET a'])('%s is what it is, whatever has begun behind it', (words) => {
  const command = encodeCommand(words.split(' '))
  for (const next of COMMANDS) {
    for (let size = 0; size < next.length; size++) {
      const end = PLAIN.scan(command + next.slice(0, size), 0, 9)
      const kind = words.startsWith('SET') ? 'write' : 'read'
      expect([end, PLAIN.count, PLAIN.kind]).toEqual([command.length, 1, kind])
    }
  }
})

test('a run is cut into those of its commands that have no answer', () => {
  const bytes = COMMANDS.slice(0, 3).join('')
  const run = newAsked({ kind: 'run', count: 3, bytes, argv: undefined })
  run.left = 2
  const cut = PLAIN.cut(run).map(({ kind, bytes: own }) => [kind, own])
  expect(cut).toEqual([
    ['read', COMMANDS[1]],
    ['write', COMMANDS[2]],
  ])
})

test.each([1, 7, 40, 1_000_000])(
  'errors, pushes and parts stay out, in pieces of %i bytes',
  (size) => {
    const answers = new Answers()
    const whole: string[] = []
    let all = ''
    for (const piece of pieces(REPLIES, size)) {
      answers.push(piece)
      for (;;) {
        const several = answers.wholeReplies(2)
        if (several !== '') whole.push(several)
        const next = several === '' ? answers.next() : undefined
        if (several === '' && next === undefined) break
        if (next?.kind === 'fault') throw new Error('a fault')
        all += several + (next?.bytes ?? '')
      }
    }
    expect(all).toBe(REPLIES)
    expect(whole.join('')).not.toMatch(/ERR no|>2/)
    if (size > 1_000) expect(whole.slice(0, 2)).toEqual([REPLIES.slice(0, 9), REPLIES.slice(9, 38)])
  },
)

describe('of commands that came in one piece', () => {
  function sent(...commands: readonly string[]) {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('PING')
    stage.server(A).says('+PONG')
    client.takes()
    client.sends(...commands)
    stage.server(A).takes()
    return { stage, client }
  }

  test('answers are passed on as they come', () => {
    const { stage, client } = sent('SET a 1', 'GET a', 'SET b 2')
    stage.server(A).says('+OK')
    expect(client.takes()).toBe('+OK\r\n')
    stage.server(A).says('$1\r\n1', '+OK')
    expect(client.takes()).toBe('$1\r\n1\r\n+OK\r\n')
  })

  test('those that a lost master had not answered are asked again, or never, one by one', () => {
    const { stage, client } = sent('SET a 1', 'GET a', 'SET b 2', 'GET b')
    stage.server(A).says('+OK')
    client.takes()
    stage.refused.add(A)
    stage.server(A).breaks()
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['GET a', 'GET b'])
    stage.server(B).says('$1\r\n1', '$1\r\n2')
    expect(client.takes()).toMatch(/^\$1\r\n1\r\n-UNANSWERED [^\r]*\r\n\$1\r\n2\r\n$/)
    expect(stage.proxy.counts.unanswered).toBe(1)
  })

  test('those that a demoted master refuses are given to the next one, and no other', () => {
    const { stage, client } = sent('SET a 1', 'SET b 2', 'SET c 3')
    stage.server(A).says('+OK', READONLY, READONLY)
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['SET b 2', 'SET c 3'])
    stage.server(B).says('+OK', '+OK')
    expect(client.takes()).toBe('+OK\r\n+OK\r\n+OK\r\n')
  })

  test('an error is the answer to its command alone', () => {
    const { stage, client } = sent('SET a x', 'INCR a', 'GET a')
    stage.server(A).says('+OK', '-ERR value is not an integer or out of range', '$1\r\nx')
    expect(client.takes()).toBe(
      '+OK\r\n-ERR value is not an integer or out of range\r\n$1\r\nx\r\n',
    )
    client.sends('GET b')
    expect(stage.server(A).takes()).toEqual(['GET b'])
  })

  test('a long answer is passed on in parts', () => {
    const { stage, client } = sent('SET a 1', 'GET a', 'GET b')
    const long = `$5000\r\n${'x'.repeat(5_000)}`
    stage.server(A).says('+OK', long, '$-1')
    expect(client.takes()).toBe(`+OK\r\n${long}\r\n$-1\r\n`)
  })

  test('messages are no answers', () => {
    const { stage, client } = sent('SUBSCRIBE s')
    const subscribed = '*3\r\n$9\r\nsubscribe\r\n$1\r\ns\r\n:1'
    stage.server(A).says(subscribed)
    client.takes()
    client.sends('GET a', 'GET b')
    const message = '*3\r\n$7\r\nmessage\r\n$1\r\ns\r\n$1\r\nm'
    stage.server(A).says(message, '$1\r\n1')
    stage.refused.add(A)
    stage.server(A).breaks()
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['SUBSCRIBE s'])
    stage.server(B).says(subscribed)
    expect(stage.server(B).takes()).toEqual(['GET b'])
  })

  test('no more are sent ahead than one client may have without an answer', () => {
    const { stage, client } = sent('SET a 1')
    client.sends(...Array.from({ length: 5_000 }, (_, at) => `SET k ${at}`))
    expect([stage.server(A).takes().length, client.isPaused]).toEqual([4_095, true])
    stage.server(A).says(...Array.from({ length: 4_096 }, () => '+OK'))
    expect([stage.server(A).takes().length, client.isPaused]).toEqual([905, false])
  })
})
