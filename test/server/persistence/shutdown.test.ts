/** SHUTDOWN and the signals: who is waited for, what is saved, and when the node stays. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import type { TestClient } from '../../support/node-harness.ts'
import { restarted, SlowDisk } from '../../support/slow-disk.ts'

const REFUSED = '-ERR Errors trying to SHUTDOWN. Check logs.\r\n'
const POINTS = { save: '3600 1' }

function slow(directives: Record<string, string> = {}): SlowDisk {
  const harness = new SlowDisk({ save: '', ...directives })
  harness.disk.isSlow = true
  return harness
}

describe('what is saved', () => {
  test.each([
    ['SHUTDOWN', '', false],
    ['SHUTDOWN', '3600 1', true],
    ['SHUTDOWN SAVE', '', true],
    ['SHUTDOWN NOSAVE', '3600 1', false],
    ['SHUTDOWN now force', '3600 1', true],
    ['SHUTDOWN SAVE save', '', true],
  ])('%s with [save] "%s": %s', (line, save, isSaved) => {
    const harness = new SlowDisk({ save })
    const client = harness.client()
    client.say('SET k 1')
    expect(client.say(line)).toBe('')
    expect(harness.exitStatus).toBe(0)
    expect(harness.disk.paths()).toEqual(isSaved ? ['dump.rdb'] : [])
    const kept = restarted(harness.files).client().say('GET k')
    expect(kept).toBe(isSaved ? '$1\r\n1\r\n' : '$-1\r\n')
  })

  test.each(['SHUTDOWN SAVE NOSAVE', 'SHUTDOWN ABORT NOW', 'SHUTDOWN later'])(
    '%s is a syntax error',
    (line) => {
      const harness = slow()
      expect(harness.client().say(line)).toBe('-ERR syntax error\r\n')
      expect(harness.exitStatus).toBeUndefined()
    },
  )

  test.each(['SHUTDOWN ABORT', 'SHUTDOWN abort abort'])('%s needs a shutdown', (line) => {
    expect(slow().client().say(line)).toBe('-ERR No shutdown in progress.\r\n')
  })

  test('a signal does as SHUTDOWN does', () => {
    const harness = new SlowDisk(POINTS)
    harness.client().say('SET k 1')
    harness.node.stopRequested(harness.now)
    expect([harness.exitStatus, harness.disk.paths()]).toEqual([0, ['dump.rdb']])
  })
})

describe('while it saves', () => {
  test('writes wait and are never answered, reads are', () => {
    const harness = slow(POINTS)
    const [client, other] = [harness.client(), harness.client()]
    client.say('SET k 1')
    client.say('SHUTDOWN')
    expect(other.say('GET k')).toBe('$1\r\n1\r\n')
    expect(other.say('SET k 2')).toBe('')
    harness.answerUntil('rename')
    expect(harness.exitStatus).toBeUndefined()
    harness.answer()
    expect([harness.exitStatus, other.take()]).toEqual([0, ''])
    expect(restarted(harness.files).client().say('GET k')).toBe('$1\r\n1\r\n')
  })

  test('a save that was under way makes way for the last one', () => {
    const harness = slow(POINTS)
    const client = harness.client()
    client.say('SET k 1')
    client.say('BGSAVE')
    harness.answerUntil('sync')
    client.say('SET k 2')
    client.say('SHUTDOWN')
    harness.answerAll()
    expect(harness.exitStatus).toBe(0)
    expect(harness.disk.paths()).toEqual(['dump.rdb'])
    expect(restarted(harness.files).client().say('GET k')).toBe('$1\r\n2\r\n')
  })

  test('further signals change nothing', () => {
    const harness = slow(POINTS)
    harness.client().say('SET k 1')
    for (let signal = 0; signal < 3; signal++) harness.node.stopRequested(harness.now)
    expect(harness.exitStatus).toBeUndefined()
    harness.answerAll()
    expect(harness.exitStatus).toBe(0)
    expect(restarted(harness.files).client().say('GET k')).toBe('$1\r\n1\r\n')
  })

  test('ABORT lets it go on, and the save ends as any other', () => {
    const harness = slow(POINTS)
    const [client, other] = [harness.client(), harness.client()]
    client.say('SHUTDOWN')
    expect(other.say('SHUTDOWN ABORT')).toBe('+OK\r\n')
    expect(client.take()).toBe(REFUSED)
    expect(other.say('SET k 1')).toBe('+OK\r\n')
    harness.answerAll()
    expect(harness.exitStatus).toBeUndefined()
    expect(harness.disk.paths()).toEqual(['dump.rdb'])
  })
})

describe('when it cannot be saved', () => {
  test('the node stays, says so, and takes writes again', () => {
    const harness = slow(POINTS)
    const [client, second, other] = [harness.client(), harness.client(), harness.client()]
    client.say('SHUTDOWN')
    second.say('SHUTDOWN')
    other.say('SET k 1')
    harness.fail()
    harness.answerAll()
    expect([client.take(), second.take(), other.take()]).toEqual([REFUSED, REFUSED, '+OK\r\n'])
    expect(harness.exitStatus).toBeUndefined()
    expect(harness.logs).toContain('shutdown: it goes on: the data cannot be saved: ENOSPC')
    expect(client.say('SHUTDOWN NOSAVE')).toBe('')
    expect(harness.exitStatus).toBe(0)
  })

  test('FORCE goes all the same', () => {
    const harness = slow(POINTS)
    harness.client().say('SHUTDOWN FORCE')
    harness.fail()
    harness.answerAll()
    expect(harness.exitStatus).toBe(0)
  })

  test('after a signal it stays too, and the next signal tries again', () => {
    const harness = slow(POINTS)
    harness.node.stopRequested(harness.now)
    harness.fail()
    harness.answerAll()
    expect(harness.exitStatus).toBeUndefined()
    harness.node.stopRequested(harness.now)
    harness.answerAll()
    expect(harness.exitStatus).toBe(0)
  })
})

describe('replicas that are online', () => {
  /** A replica that acknowledges what it is told to. */
  class Acknowledging {
    readonly client: TestClient
    readonly #harness: SlowDisk

    constructor(harness: SlowDisk) {
      this.#harness = harness
      this.client = harness.client()
      this.client.bytes(encodeCommand(['PSYNC', '?', '-1']))
      harness.advance(1000)
      this.client.take()
      this.acknowledge()
    }

    /** All of the stream but its last bytes. */
    acknowledge(shortBytes = 0): void {
      const offset = Number(this.#harness.info('master_repl_offset')) - shortBytes
      this.client.bytes(encodeCommand(['REPLCONF', 'ACK', String(offset)]))
    }
  }

  function withReplica(directives: Record<string, string> = {}) {
    const harness = new SlowDisk({ save: '', ...directives })
    const replica = new Acknowledging(harness)
    return { harness, replica, client: harness.client() }
  }

  test('are asked, and waited for until they have everything', () => {
    const { harness, replica, client } = withReplica(POINTS)
    client.say('SET k 1')
    client.say('SHUTDOWN')
    expect(harness.exitStatus).toBeUndefined()
    expect(replica.client.take()).toContain('GETACK')
    harness.advance(1000)
    expect(harness.info('shutdown_in_milliseconds')).toBe('9000')
    // The answer to GETACK does not count the GETACK.
    replica.acknowledge(encodeCommand(['REPLCONF', 'GETACK', '*']).length)
    expect(harness.exitStatus).toBe(0)
    expect(harness.disk.paths()).toEqual(['dump.rdb'])
  })

  test('that have everything are not waited for', () => {
    const { harness, client } = withReplica()
    client.say('SHUTDOWN')
    expect(harness.exitStatus).toBe(0)
  })

  test.each([
    ['SHUTDOWN NOW', '10'],
    ['SHUTDOWN', '0'],
  ])('%s with [shutdown-timeout] %s waits for nobody', (line, timeout) => {
    const { harness, client } = withReplica({ 'shutdown-timeout': timeout })
    client.say('SET k 1')
    client.say(line)
    expect(harness.exitStatus).toBe(0)
  })

  test('are waited for no longer than [shutdown-timeout]', () => {
    const { harness, client } = withReplica({ 'shutdown-timeout': '3' })
    client.say('SET k 1')
    client.say('SHUTDOWN')
    harness.advance(2999)
    expect(harness.exitStatus).toBeUndefined()
    harness.advance(1)
    expect(harness.exitStatus).toBe(0)
  })

  test('are not waited for once they are gone', () => {
    const { harness, replica, client } = withReplica()
    client.say('SET k 1')
    client.say('SHUTDOWN')
    replica.client.drop()
    expect(harness.exitStatus).toBe(0)
  })

  test('are waited for while writes wait too', () => {
    const { harness, client } = withReplica()
    const other = harness.client()
    client.say('SET k 1')
    client.say('SHUTDOWN')
    expect(other.say('SET k 2')).toBe('')
    expect(harness.client().say('SHUTDOWN ABORT')).toBe('+OK\r\n')
    expect([client.take(), other.take()]).toEqual([REFUSED, '+OK\r\n'])
    harness.advance(60_000)
    expect(harness.exitStatus).toBeUndefined()
  })

  test('a second signal, or SHUTDOWN NOW, ends the waiting', () => {
    const signalled = withReplica(POINTS)
    signalled.client.say('SET k 1')
    signalled.harness.node.stopRequested(signalled.harness.now)
    expect(signalled.harness.exitStatus).toBeUndefined()
    signalled.harness.node.stopRequested(signalled.harness.now)
    expect([signalled.harness.exitStatus, signalled.harness.disk.paths()]).toEqual([
      0,
      ['dump.rdb'],
    ])

    const ordered = withReplica()
    ordered.client.say('SET k 1')
    ordered.client.say('SHUTDOWN')
    ordered.harness.client().say('SHUTDOWN NOW')
    expect(ordered.harness.exitStatus).toBe(0)
  })

  test('a transfer that takes its time is ended, so that the data can be saved', () => {
    const harness = new SlowDisk(POINTS)
    const client = harness.client()
    for (let key = 0; key < 3000; key++) client.send('SET', `key ${key}`, 'x'.repeat(500))
    const replica = harness.client()
    replica.queuedBytes = 8 * 1024 * 1024
    replica.bytes(encodeCommand(['REPLCONF', 'capa', 'eof']))
    replica.bytes(encodeCommand(['PSYNC', '?', '-1']))
    harness.advance(200)
    expect(harness.node.services.snapshotTurn.user).toBe('transfer')
    client.say('SHUTDOWN')
    expect([harness.exitStatus, replica.isClosed]).toEqual([0, true])
    expect(restarted(harness.files).client().say('DBSIZE')).toBe(':3000\r\n')
  })
})
