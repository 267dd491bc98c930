import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const ENTRY = (ms: number) =>
  `*2\r\n$${String(ms).length + 2}\r\n${ms}-0\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n`
const FROM_S = '*1\r\n*2\r\n$1\r\ns\r\n'
const GONE = '-UNBLOCKED the stream key no longer exists\r\n'
const NO_GROUP = '-NOGROUP the consumer group this client was blocked on no longer exists\r\n'

function stage() {
  const harness = new NodeHarness()
  const clients = { waiting: harness.client(), other: harness.client(), third: harness.client() }
  clients.other.bytes(
    'XADD s 1 f v\r\nXGROUP CREATE s g $\r\nSELECT 1\r\nXADD s 1 f v\r\nSELECT 0\r\n',
  )
  return { harness, ...clients }
}

describe('a client that waits with XREAD', () => {
  test('is served by the next entry, and takes nothing from the others', () => {
    const { waiting, other, third } = stage()
    waiting.say('XREAD BLOCK 0 STREAMS s $')
    third.say('XREAD BLOCK 0 STREAMS s 1')
    other.say('XADD s 2 f v')
    expect([waiting.take(), third.take()]).toEqual([
      `${FROM_S}*1\r\n${ENTRY(2)}`,
      `${FROM_S}*1\r\n${ENTRY(2)}`,
    ])
    expect(other.say('XLEN s')).toBe(':2\r\n')
  })

  test('gets all of a transaction at once', () => {
    const { waiting, other } = stage()
    waiting.say('XREAD BLOCK 0 STREAMS s $')
    other.bytes('MULTI\r\nXADD s 2 f v\r\nXADD s 3 f v\r\nEXEC\r\n')
    expect(waiting.take()).toBe(`${FROM_S}*2\r\n${ENTRY(2)}${ENTRY(3)}`)
  })

  test('is told the shape of its protocol', () => {
    const { waiting, other } = stage()
    waiting.say('HELLO 3')
    waiting.say('XREAD BLOCK 0 STREAMS s $')
    other.say('XADD s 2 f v')
    expect(waiting.take()).toBe(`%1\r\n$1\r\ns\r\n*1\r\n${ENTRY(2)}`)
  })

  test('waits for a stream that does not exist, and for a later one of its name', () => {
    const { waiting, other } = stage()
    waiting.say('XREAD BLOCK 0 STREAMS none s 0 $')
    other.bytes('DEL s\r\nXGROUP CREATE none g 0 MKSTREAM\r\nXADD s 1 f v\r\n')
    expect(waiting.take()).toBe('')
    other.say('XADD none 1 f v')
    expect(waiting.take()).toBe(`*1\r\n*2\r\n$4\r\nnone\r\n*1\r\n${ENTRY(1)}`)
  })

  test('gets null when its time is up, in milliseconds', () => {
    const { harness, waiting } = stage()
    waiting.say('XREAD BLOCK 20 STREAMS s $')
    harness.advance(19)
    expect(waiting.take()).toBe('')
    harness.advance(1)
    expect(waiting.take()).toBe('*-1\r\n')
  })

  test('is not woken by another type under its key', () => {
    const { waiting, other } = stage()
    waiting.say('XREAD BLOCK 0 STREAMS s $')
    other.bytes('SET s x\r\nDEL s\r\nRPUSH s x\r\nFLUSHALL\r\n')
    expect(waiting.take()).toBe('')
  })

  test('gets an empty list when the entry came and went in one transaction', () => {
    const { waiting, other } = stage()
    waiting.say('XREAD BLOCK 0 STREAMS s $')
    other.bytes('MULTI\r\nXADD s 2 f v\r\nXDEL s 2\r\nEXEC\r\n')
    expect(waiting.take()).toBe(`${FROM_S}*0\r\n`)
  })

  test('gets no more than a thousand entries', () => {
    const { waiting, other } = stage()
    waiting.say('XREAD BLOCK 0 STREAMS t 0')
    const adds = Array.from({ length: 1100 }, (_, n) => `XADD t ${n + 1} f v\r\n`)
    other.bytes(`MULTI\r\n${adds.join('')}EXEC\r\n`)
    expect(waiting.take()).toContain('*2\r\n$1\r\nt\r\n*1000\r\n')
  })
})

describe('a client that waits with XREADGROUP', () => {
  test('gets each entry alone, in the order of arrival', () => {
    const { waiting, other, third } = stage()
    waiting.say('XREADGROUP GROUP g a BLOCK 0 STREAMS s >')
    third.say('XREADGROUP GROUP g b BLOCK 0 STREAMS s >')
    other.say('XADD s 2 f v')
    expect([waiting.take(), third.take()]).toEqual([`${FROM_S}*1\r\n${ENTRY(2)}`, ''])
    other.say('XADD s 3 f v')
    expect(third.take()).toBe(`${FROM_S}*1\r\n${ENTRY(3)}`)
  })

  test('has replicas told after the entry that served it', () => {
    const { harness, waiting, other } = stage()
    const replica = harness.replica()
    waiting.say('XREADGROUP GROUP g a BLOCK 0 STREAMS s >')
    other.say('XADD s 2 f v')
    const claim = `XCLAIM s g a 0 2-0 TIME ${harness.wallMs} RETRYCOUNT 1 FORCE JUSTID LASTID 2-0`
    expect(replica.told()).toEqual(['SELECT 0', 'XADD s 2 f v', claim])
  })

  test('has replicas told how far its group is, when it acknowledges nothing', () => {
    const { harness, waiting, other } = stage()
    const replica = harness.replica()
    waiting.say('XREADGROUP GROUP g a NOACK BLOCK 0 STREAMS s >')
    other.say('XADD s 2 f v')
    expect(replica.told()).toEqual([
      ...['SELECT 0', 'XADD s 2 f v', 'MULTI', 'XGROUP CREATECONSUMER s g a'],
      ...['XGROUP SETID s g 2-0 ENTRIESREAD 2', 'EXEC'],
    ])
  })

  // What redis-server 7.0.15 answers a client that waits, seen for each of these.
  test.each([
    ['DEL s', GONE],
    ['UNLINK s', GONE],
    ['SET s x', GONE],
    ['RENAME s t', GONE],
    ['MOVE s 2', GONE],
    ['PEXPIRE s -1', GONE],
    ['SUNIONSTORE s nothing', GONE],
    ['FLUSHDB', GONE],
    ['FLUSHALL', GONE],
    ['XGROUP DESTROY s g', NO_GROUP],
    ['SWAPDB 0 1', NO_GROUP],
    ['MULTI\r\nDEL s\r\nSADD s a\r\nEXEC', GONE],
    ['MULTI\r\nDEL s\r\nXADD s 9 f v\r\nEXEC', NO_GROUP],
    ['XADD t 1 f v\r\nCOPY t s REPLACE', NO_GROUP],
    ['XADD t 1 f v\r\nRENAME t s', NO_GROUP],
  ])('is not left waiting by %j', (commands, answer) => {
    const { waiting, other } = stage()
    waiting.say('XREADGROUP GROUP g a BLOCK 0 STREAMS s >')
    other.bytes(`${commands}\r\n`)
    expect(waiting.take()).toBe(answer)
    expect(waiting.say('PING')).toBe('+PONG\r\n')
  })

  test('is told when the time of the stream is over, though nobody asks for it', () => {
    const { harness, waiting, other } = stage()
    waiting.say('XREADGROUP GROUP g a BLOCK 0 STREAMS s >')
    other.say('PEXPIRE s 50')
    harness.advance(200)
    expect(waiting.take()).toBe(GONE)
  })

  test('goes on waiting when its group is moved, emptied or deprived of it', () => {
    const { waiting, other } = stage()
    waiting.say('XREADGROUP GROUP g a BLOCK 0 STREAMS s >')
    for (const line of [
      'XGROUP SETID s g 0',
      'XDEL s 1',
      'XGROUP DELCONSUMER s g a',
      'XSETID s 7',
    ]) {
      other.say(line)
    }
    expect(waiting.take()).toBe('')
  })
})
