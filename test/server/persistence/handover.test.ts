/** A master that is to end: whom it asks for a coordinated failover, whom not, and how long it waits. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { NodeHarness } from '../../support/node-harness.ts'

const CHANNEL = '__sentinel__:hello'

interface Dialled {
  readonly id: number
  readonly to: string
}

/** A node whose outgoing connections lead to the test. */
class Ending extends NodeHarness {
  readonly dialled: Dialled[] = []
  readonly #said = new Map<number, string>()

  override connect(id?: number, host?: string, port?: number): void {
    this.dialled.push({ id: id ?? 0, to: `${host}:${port}` })
  }

  override write(id: number, bytes: string): void {
    if (id > 0) super.write(id, bytes)
    else this.#said.set(id, (this.#said.get(id) ?? '') + bytes)
  }

  /** A Sentinel whose hellos name this node, or another address. */
  sentinel(number: number, from = '10.0.0.1', host = from, master = '127.0.0.1'): void {
    const runId = String(number).repeat(40)
    const hello = `${host},${26_000 + number},${runId},1,mymaster,${master},6379,0`
    this.client(from).send('PUBLISH', CHANNEL, hello)
  }

  /** Accepts the last connection and returns what is said on it. */
  accept(): string {
    this.node.connected(this.now, this.last, ENDS)
    return this.heard()
  }

  answer(reply: string): string {
    this.node.received(this.now, this.last, reply)
    return this.heard()
  }

  get last(): number {
    return this.dialled.at(-1)?.id ?? 0
  }

  /** The words that were said on the last connection since the last call. */
  heard(): string {
    const bytes = this.#said.get(this.last) ?? ''
    this.#said.delete(this.last)
    return bytes
      .split('\r\n')
      .filter((part) => part !== '' && !/^[*$]\d+$/.test(part))
      .join(' ')
  }

  get runId(): string {
    return this.node.report().runId
  }
}

const ENDS = { remoteHost: '10.0.0.1', remotePort: 26_001, localHost: '127.0.0.1', localPort: 1 }

function master(fields: Record<string, string>): string {
  return encodeCommand(Object.entries(fields).flat())
}

/** A master with a replica that has everything there will ever be, and two Sentinels. */
function ready(directives: Record<string, string> = {}): Ending {
  const harness = new Ending({ save: '', 'protected-mode': 'no', ...directives })
  const replica = harness.client()
  replica.bytes(encodeCommand(['PSYNC', '?', '-1']))
  harness.advance(1_000)
  replica.bytes(encodeCommand(['REPLCONF', 'ACK', '1000000']))
  for (const number of [1, 2]) harness.sentinel(number)
  return harness
}

/** The Sentinel takes the order and has the node paused, as it does in a coordinated failover. */
function ordered(harness: Ending): void {
  harness.accept()
  harness.answer(master({ runid: harness.runId, flags: 'master' }))
  harness.answer('+OK\r\n')
}

describe('a master with replicas and Sentinels', () => {
  test('gives the order to a Sentinel that names its run id, and ends when its clients have been sent away', () => {
    const harness = ready()
    harness.node.stopRequested(harness.now)
    expect(harness.dialled.map(({ to }) => to)).toEqual(['10.0.0.1:26002'])
    expect(harness.accept()).toBe('SENTINEL MASTER mymaster')
    expect(harness.answer(master({ runid: harness.runId, flags: 'master' }))).toBe(
      'SENTINEL FAILOVER mymaster COORDINATED',
    )
    harness.answer('+OK\r\n')
    const sentinel = harness.client()
    expect(harness.client().say('SET k 1')).toBe('+OK\r\n')
    sentinel.say('CLIENT PAUSE 5000 WRITE')
    sentinel.say('REPLICAOF 10.0.0.2 6379')
    expect(harness.exitStatus).toBeUndefined()
    sentinel.say('CLIENT UNPAUSE')
    expect(harness.exitStatus).toBe(0)
  })

  test('asks a Sentinel last that knows it by an address it does not know', () => {
    const harness = ready()
    harness.sentinel(3, '10.0.0.3', '10.0.0.3', '203.0.113.7')
    harness.node.stopRequested(harness.now)
    for (let refused = 0; refused < 2; refused++) {
      harness.accept()
      harness.answer('-NOAUTH\r\n')
    }
    expect(harness.dialled.map(({ to }) => to)).toEqual([
      '10.0.0.1:26002',
      '10.0.0.1:26001',
      '10.0.0.3:26003',
    ])
    harness.accept()
    expect(harness.answer(master({ runid: harness.runId, flags: 'master' }))).toBe(
      'SENTINEL FAILOVER mymaster COORDINATED',
    )
  })

  test('gives no order to one whose master is another process', () => {
    const harness = ready()
    harness.node.stopRequested(harness.now)
    for (let asked = 0; asked < 2; asked++) {
      harness.accept()
      expect(harness.answer(master({ runid: 'f'.repeat(40), flags: 'master' }))).toBe('')
    }
    expect(harness.dialled.map(({ to }) => to)).toEqual(['10.0.0.1:26002', '10.0.0.1:26001'])
  })

  test.each(['-NOGOODSLAVE No suitable replica to promote\r\n', '-NOAUTH\r\n', ':1\r\n', '?\r\n'])(
    'that all refuse with %j asks them for two seconds, and ends without them',
    (answer) => {
      const harness = ready()
      harness.node.stopRequested(harness.now)
      for (let ms = 0; ms < 3_000 && harness.exitStatus === undefined; ms += 50) {
        if (harness.accept() !== '') harness.answer(answer)
        harness.advance(50)
      }
      expect(harness.exitStatus).toBe(0)
      expect(harness.dialled.length).toBeGreaterThan(4)
      expect(harness.monoMs).toBeLessThan(1_000 + 2_500)
    },
  )

  test('waits for a handover that does not come as long as shutdown-timeout says', () => {
    const harness = ready({ 'shutdown-timeout': '3' })
    harness.node.stopRequested(harness.now)
    ordered(harness)
    for (let ms = 0; ms < 2_500; ms += 100) {
      harness.advance(100)
      if (harness.heard() !== '') {
        harness.answer(master({ runid: harness.runId, flags: 'master,failover_in_progress' }))
      }
    }
    expect(harness.exitStatus).toBeUndefined()
    harness.advance(1_000)
    expect(harness.exitStatus).toBe(0)
  })

  test('asks the next one if a Sentinel gives the failover up', () => {
    const harness = ready()
    harness.node.stopRequested(harness.now)
    ordered(harness)
    harness.advance(200)
    expect(harness.heard()).toBe('SENTINEL MASTER mymaster')
    harness.answer(master({ runid: harness.runId, flags: 'master' }))
    expect(harness.dialled.length).toBe(2)
  })

  test('waits on if the Sentinel that has taken the order is gone, for another may go on', () => {
    const harness = ready()
    harness.node.stopRequested(harness.now)
    ordered(harness)
    harness.node.closed(harness.now, harness.last, 'gone')
    harness.advance(5_000)
    expect([harness.exitStatus, harness.dialled.length]).toEqual([undefined, 1])
    const sentinel = harness.client()
    sentinel.say('REPLICAOF 10.0.0.2 6379')
    expect(harness.exitStatus).toBe(0)
  })

  test('that is told again, or to be quick, waits for nobody', () => {
    const twice = ready()
    for (let signal = 0; signal < 2; signal++) twice.node.stopRequested(twice.now)
    expect([twice.exitStatus, twice.dialled.length]).toEqual([0, 1])
    const quick = ready()
    quick.client().say('SHUTDOWN NOW')
    expect([quick.exitStatus, quick.dialled.length]).toEqual([0, 0])
  })

  test('stays a master and takes writes after SHUTDOWN ABORT', () => {
    const harness = ready()
    const client = harness.client()
    client.say('SHUTDOWN')
    expect(harness.client().say('SHUTDOWN ABORT')).toBe('+OK\r\n')
    expect(client.take()).toContain('-ERR')
    harness.advance(20_000)
    expect([harness.exitStatus, client.say('SET k 1')]).toEqual([undefined, '+OK\r\n'])
  })

  test.each([
    { 'shutdown-failover': 'no' },
    { 'shutdown-timeout': '0' },
    { 'shutdown-on-sigterm': 'now' },
  ])('with %o it ends at once', (directives) => {
    const harness = ready(directives as unknown as Record<string, string>)
    harness.node.stopRequested(harness.now)
    expect([harness.exitStatus, harness.dialled]).toEqual([0, []])
  })

  test('says its password to Sentinels at the address from which they speak, and to no others', () => {
    const harness = ready({ 'sentinel-user': 'node', 'sentinel-pass': 'secret' })
    harness.sentinel(3, '10.0.0.9', '10.6.6.6')
    harness.node.stopRequested(harness.now)
    expect(harness.dialled.map(({ to }) => to)).toEqual(['10.0.0.1:26002'])
    expect(harness.accept()).toBe('AUTH node secret')
    expect(harness.answer('+OK\r\n')).toBe('SENTINEL MASTER mymaster')
  })
})

describe('there is nobody to ask for', () => {
  test('a master without replicas', () => {
    const harness = new Ending({ save: '', 'protected-mode': 'no' })
    harness.sentinel(1)
    harness.node.stopRequested(harness.now)
    expect([harness.exitStatus, harness.dialled]).toEqual([0, []])
  })

  test('a replica', () => {
    const harness = ready()
    harness.client().say('REPLICAOF 10.0.0.2 6379')
    const before = harness.dialled.length
    harness.node.stopRequested(harness.now)
    expect([harness.exitStatus, harness.dialled.length]).toEqual([0, before])
  })

  test('Sentinels that have been silent for longer than three hellos', () => {
    const harness = ready()
    harness.advance(7_000)
    harness.node.stopRequested(harness.now)
    expect([harness.exitStatus, harness.dialled]).toEqual([0, []])
  })
})
