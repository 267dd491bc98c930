import { describe, expect, test } from 'vitest'
import { createRng } from '../../src/base/rng.ts'
import { sha256 as ownSha256 } from '../../src/base/sha256.ts'
import { ClientInput } from '../../src/blackbox/client-input.ts'
import { HIDDEN_ALREADY } from '../../src/blackbox/secrets.ts'
import { DEFAULT_SENTINEL } from '../../src/core/config.ts'
import type { Event } from '../../src/core/event.ts'
import { startSentinel } from '../../src/core/sentinel.ts'
import type { State } from '../../src/core/state.ts'
import { step } from '../../src/core/step.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { GROUP } from '../support/sentinel-stage.ts'
import { differencesOf, KeptRecord } from './support.ts'

const SECRETS = {
  port: 'the-port-password',
  peers: 'the-peer-password',
  nodes: 'the-node-password',
  also: 'the-second-node-password',
  user: 'the-user-password',
  renamed: 'secret-config-name',
}

/** A recorded Sentinel that needs passwords everywhere. */
class Guarded {
  readonly record = new KeptRecord()
  readonly state: State
  #ms = 1_000
  #client = 0

  constructor() {
    const now = this.#now()
    const { state, effects } = startSentinel({
      config: {
        ...DEFAULT_SENTINEL,
        requirepass: SECRETS.port,
        sentinelPass: SECRETS.peers,
        users: [['watcher', 'on', `#${ownSha256(SECRETS.user)}`, '~*', '&*', '+@all']],
        groups: [
          {
            ...GROUP,
            authPass: SECRETS.nodes,
            authPassAlso: [SECRETS.also],
            renamedCommands: [['config', SECRETS.renamed]],
          },
        ],
      },
      saved: undefined,
      rng: createRng('guarded'),
      now,
    })
    this.state = state
    this.record.recorder.begin(state, now, effects)
    this.feed({ kind: 'saved' })
  }

  feed(event: Event) {
    const effects = this.record.recorder.step(this.state, this.#now(), event)
    if (effects.some(({ kind }) => kind === 'save')) this.feed({ kind: 'saved' })
    return effects
  }

  open(): number {
    const client = ++this.#client
    const ends = { address: '127.0.0.1:5000', localAddress: '127.0.0.1:26379' }
    this.feed({ kind: 'clientOpened', client, ...ends })
    return client
  }

  /** What a client is answered. */
  says(client: number, bytes: string): string[] {
    const effects = this.feed({ kind: 'received', client, bytes })
    return effects.flatMap((one) =>
      one.kind === 'respond' && 'text' in one.reply ? [String(one.reply.text)] : [],
    )
  }

  #now() {
    this.#ms += 5
    return { monoMs: this.#ms, wallMs: 1_700_000_000_000 + this.#ms }
  }
}

describe('a record', () => {
  test('holds no password of any configuration, and none that a client shows', () => {
    const sentinel = new Guarded()
    const client = sentinel.open()
    const typed = [
      ['AUTH', 'typed-wrongly'],
      ['AUTH', 'watcher', 'typed-wrongly-too'],
      ['HELLO', '3', 'AUTH', 'watcher', 'typed-in-hello'],
      ['AUTH', SECRETS.port],
      ['SENTINEL', 'SET', 'g', 'auth-pass', 'set-at-run-time', 'quorum', '2'],
      ['SENTINEL', 'SET', 'g', 'rename-command', 'slaveof', 'secret-slaveof'],
      ['SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', 'set-for-peers'],
      ['ACL', 'SETUSER', 'guest', 'on', '>given-to-a-guest', '<given-to-nobody'],
      ['CONFIG', 'SET', 'requirepass', 'for-some-other-server'],
    ]
    for (const argv of typed) sentinel.says(client, encodeCommand(argv))
    sentinel.says(client, 'AUTH typed-inline\r\n')
    const link = [...sentinel.state.connections.keys()][0] ?? 0
    sentinel.feed({ kind: 'linkUp', link, localHost: '127.0.0.1' })
    const text = `ERR unknown command 'AUTH', with args beginning with: '${SECRETS.nodes}'`
    const purpose = { kind: 'auth' } as const
    sentinel.feed({ kind: 'reply', link, purpose, reply: { kind: 'error', text } })
    sentinel.record.recorder.renew()
    sentinel.feed({ kind: 'wake' })
    expect(differencesOf(sentinel.record)).toEqual([])
    expect(sentinel.record.segments.length).toBe(2)
    for (const secret of [...Object.values(SECRETS), ...typed.flat()]) {
      const isSecret = /^[<>]?(?:the-|typed-|set-|secret-|given-|for-)/.test(secret)
      if (!isSecret) continue
      const plain = secret.replace(/^[<>]/, '')
      expect(sentinel.record.text.includes(plain), plain).toBe(false)
      expect(sentinel.record.text.includes(ownSha256(plain)), plain).toBe(false)
    }
    expect(sentinel.record.text).not.toContain('typed-inline')
  })

  test('lets the same logins succeed and fail when it is played', () => {
    const sentinel = new Guarded()
    const client = sentinel.open()
    expect(sentinel.says(client, encodeCommand(['PING']))).toEqual([
      'NOAUTH Authentication required.',
    ])
    const wrong = sentinel.says(client, encodeCommand(['AUTH', 'watcher', SECRETS.port]))
    expect(wrong[0]).toContain('WRONGPASS')
    sentinel.record.recorder.renew()
    expect(sentinel.says(client, encodeCommand(['AUTH', 'watcher', SECRETS.user]))).toEqual(['OK'])
    expect(sentinel.says(client, encodeCommand(['PING']))).toEqual(['PONG'])
    expect(differencesOf(sentinel.record)).toEqual([])
  })

  test('holds back a password that arrives in pieces until its request is whole', () => {
    const sentinel = new Guarded()
    const client = sentinel.open()
    const bytes = encodeCommand(['AUTH', SECRETS.port]) + encodeCommand(['PING'])
    for (const byte of bytes.slice(0, -4)) sentinel.says(client, byte)
    sentinel.record.recorder.renew()
    expect(sentinel.says(client, bytes.slice(-4))).toEqual(['PONG'])
    expect(differencesOf(sentinel.record)).toEqual([])
    expect(sentinel.record.segments.length).toBe(2)
    expect(sentinel.record.text).not.toContain(SECRETS.port.slice(0, 8))
  })

  test('hides a password that was a harmless word before', () => {
    const sentinel = new Guarded()
    const [loud, quiet] = [sentinel.open(), sentinel.open()]
    // Looked at, and known from now on.
    for (let time = 0; time < 2; time++) sentinel.says(loud, 'harmless\r\n')
    sentinel.says(quiet, 'AUTH ')
    sentinel.says(quiet, 'harmless\r\n')
    sentinel.record.recorder.renew()
    sentinel.feed({ kind: 'wake' })
    expect(differencesOf(sentinel.record)).toEqual([])
    const events = sentinel.record.text.split('"kind":"received"')
    const ofQuiet = events.filter((text) => text.startsWith(`,"client":${quiet},`)).join()
    expect(ofQuiet).toContain('hidden-')
    expect(ofQuiet).not.toContain('harmless')
  })

  test('hides a password of which the beginning came while there was no place for a record', () => {
    const sentinel = new Guarded()
    const client = sentinel.open()
    sentinel.record.recorder.pause()
    sentinel.says(client, 'AUTH ')
    sentinel.record.recorder.renew()
    sentinel.feed({ kind: 'wake' })
    sentinel.says(client, `${SECRETS.port}\r\n`)
    sentinel.record.recorder.renew()
    sentinel.feed({ kind: 'wake' })
    expect(differencesOf(sentinel.record)).toEqual([])
    expect(sentinel.record.text).not.toContain(SECRETS.port)
  })

  test('forgets what it held back of a client that went while there was no place for a record', () => {
    const { state } = new Guarded()
    const input = new ClientInput(HIDDEN_ALREADY)
    const ends = { address: '127.0.0.1:5000', localAddress: '127.0.0.1:26379' }
    const now = { monoMs: 2_000, wallMs: 1_700_000_002_000 }
    step(state, now, { kind: 'clientOpened', client: 7, ...ends })
    step(state, now, { kind: 'received', client: 7, bytes: 'AUTH ' })
    input.take(state, 7, 'AUTH ')
    expect(input.heldBytes).toBe(5)
    step(state, now, { kind: 'clientClosed', client: 7 })
    input.begin(state)
    expect(input.heldBytes).toBe(0)
  })

  test('blurs what a client had sent of a request that the machine could not read', () => {
    const sentinel = new Guarded()
    const client = sentinel.open()
    const [fault] = sentinel.says(client, `*2\r\n$4\r\nAUTH\r\n!${SECRETS.port}\r\n`)
    expect(fault).toContain("expected '$', got '!'")
    expect(differencesOf(sentinel.record)).toEqual([])
    expect(sentinel.record.text).not.toContain(SECRETS.port)
  })
})
