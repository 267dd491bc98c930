/** Which replicas count for min-replicas-to-write: what they have acknowledged, and since when. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { OK } from '../../../src/resp/reply.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'
import { ReplicationWorld, type TestNode } from '../../support/replication-harness.ts'

const REFUSED = '-NOREPLICAS Not enough good replicas to write.\r\n'
const GUARDED = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '2', save: '' }
const PING_BYTES = 14
const GETACK_BYTES = 37

/** A guarded master, and a replica whose every acknowledgement the test sends. */
class Stage {
  readonly harness: NodeHarness
  readonly client: TestClient
  readonly #replica: TestClient

  constructor(directives: Record<string, string> = {}) {
    this.harness = new NodeHarness({
      ...GUARDED,
      'repl-ping-replica-period': '1000',
      ...directives,
    })
    this.client = this.harness.client()
    this.#replica = this.harness.client()
    this.#replica.send('REPLCONF', 'capa', 'eof', 'capa', 'psync2')
    this.#replica.bytes(encodeCommand(['PSYNC', '?', '-1']))
    this.harness.advance(100)
    const header = /FULLRESYNC \w+ (\d+)/.exec(this.#replica.take())
    this.acknowledge(Number(header?.[1]))
    this.harness.advance(1)
    this.acknowledge()
  }

  get masterOffset(): number {
    return Number(/^master_repl_offset:(\d+)/m.exec(this.client.say('INFO replication'))?.[1])
  }

  /** What has been sent to it, and no acknowledgement of it. */
  received(): string {
    return this.#replica.take()
  }

  acknowledge(offset = this.masterOffset): void {
    this.#replica.send('REPLCONF', 'ACK', String(offset))
  }

  set(): string {
    return this.client.say('SET k v')
  }

  /** SIGSTOP, and SIGCONT so much later: the node is told of nothing in between. */
  standStill(ms: number): void {
    this.harness.monoMs += ms
  }
}

describe('a master that stood still for longer than max-lag', () => {
  test('refuses what waited for it until a replica acknowledges what was written afterwards', () => {
    const stage = new Stage()
    expect(stage.set()).toBe('+OK\r\n')
    stage.acknowledge()
    const before = stage.masterOffset
    stage.standStill(2001)
    // What the replica said before and during the stop is read first, and is no news.
    stage.acknowledge(before)
    expect(stage.set()).toBe(REFUSED)
    stage.received()
    stage.harness.advance(0)
    expect(stage.received()).toBe(
      encodeCommand(['ping']) + encodeCommand(['REPLCONF', 'GETACK', '*']),
    )
    stage.acknowledge(before)
    expect(stage.set()).toBe(REFUSED)
    // GETACK is answered with the offset before it.
    stage.acknowledge(before + PING_BYTES)
    expect(stage.set()).toBe('+OK\r\n')
    expect(stage.masterOffset).toBeGreaterThan(before + PING_BYTES + GETACK_BYTES)
  })

  test('says so in its log, and counts no replica as good', () => {
    const stage = new Stage()
    stage.standStill(6000)
    expect(stage.client.say('INFO replication')).toContain('min_slaves_good_slaves:0\r\n')
    expect(stage.harness.logs.filter((line) => line.includes('stood still'))).toHaveLength(1)
  })

  test('takes writes again at once if max-lag was not exceeded', () => {
    const stage = new Stage()
    stage.standStill(2000)
    expect(stage.set()).toBe('+OK\r\n')
  })

  test('looks at its clocks while it is idle, so that a pause of half a second is none of a second', () => {
    const stage = new Stage({ 'min-replicas-max-lag': '1' })
    stage.acknowledge()
    stage.harness.advance(990)
    stage.standStill(600)
    expect(stage.set()).toBe('+OK\r\n')
  })

  test('refuses a transaction that was queued before', () => {
    const stage = new Stage()
    expect([stage.client.say('MULTI'), stage.set()]).toEqual(['+OK\r\n', '+QUEUED\r\n'])
    stage.standStill(3000)
    expect(stage.client.say('EXEC')).toBe(
      '-EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to write.\r\n',
    )
    expect(stage.client.say('GET k')).toBe('$-1\r\n')
  })

  test('serves nobody who waits for an element, because none is let in', () => {
    const stage = new Stage()
    const waiting = stage.harness.client()
    waiting.say('BLPOP list 0')
    stage.standStill(3000)
    expect(stage.client.say('RPUSH list a')).toBe(REFUSED)
    expect(waiting.take()).toBe('')
  })

  test('refuses with an append-only file as well', () => {
    const stage = new Stage({ appendonly: 'yes', appendfsync: 'always' })
    stage.standStill(3000)
    expect(stage.set()).toBe(REFUSED)
  })

  test('notices by the wall clock that its machine was suspended', () => {
    const stage = new Stage()
    const { harness } = stage
    const late = { monoMs: harness.monoMs + 1, wallMs: harness.wallMs + 3000 }
    harness.node.received(late, stage.client.id, encodeCommand(['SET', 'k', 'v']))
    expect(stage.client.take()).toBe(REFUSED)
  })

  test('hung in DEBUG SLEEP, and refuses what came in meanwhile', () => {
    const stage = new Stage()
    stage.client.say('DEBUG SLEEP 3')
    stage.standStill(100)
    expect(stage.set()).toBe('')
    stage.standStill(2900)
    stage.harness.advance(0)
    expect(stage.client.take()).toBe(`+OK\r\n${REFUSED}`)
  })

  test('does nothing of the kind without min-replicas-to-write', () => {
    const stage = new Stage({ 'min-replicas-to-write': '0' })
    const before = stage.masterOffset
    stage.standStill(60_000)
    expect(stage.set()).toBe('+OK\r\n')
    expect(stage.received()).not.toContain('GETACK')
    expect(stage.masterOffset - before).toBeLessThan(60)
  })

  test('does not move the end of the stream while writes are held back', () => {
    const stage = new Stage()
    stage.client.say('CLIENT PAUSE 10000 WRITE')
    const before = stage.masterOffset
    stage.standStill(3000)
    stage.harness.advance(500)
    expect(stage.masterOffset).toBe(before)
    expect(stage.client.say('CLIENT UNPAUSE')).toBe('+OK\r\n')
    expect(stage.set()).toBe(REFUSED)
    stage.harness.advance(0)
    stage.acknowledge(before + PING_BYTES)
    expect(stage.set()).toBe('+OK\r\n')
  })

  test('has forgotten it when it was a replica in between', () => {
    const stage = new Stage()
    stage.standStill(3000)
    stage.client.say('REPLICAOF 10.0.0.9 6379')
    stage.harness.advance(10)
    stage.client.say('REPLICAOF NO ONE')
    const id = /master_replid:(\w+)/.exec(stage.client.say('INFO replication'))?.[1] ?? ''
    const replica = stage.harness.client()
    replica.send('PSYNC', id, String(stage.masterOffset + 1))
    expect(stage.set()).toBe('+OK\r\n')
  })

  test('asks its replicas at once, so that an idle one is believed after a round trip', () => {
    const world = new ReplicationWorld()
    const master = world.node(GUARDED)
    world.replicaOf(master)
    world.run(5000)
    const client = world.client(master)
    master.isFrozen = true
    client.send('SET', 'k', 'v')
    world.run(6000)
    master.isFrozen = false
    world.run(2)
    expect(client.takeReply()).toMatchObject({ kind: 'error' })
    world.run(5)
    expect(master.call('SET', 'k', 'v')).toEqual(OK)
  })
})

describe('a replica counts by what it has acknowledged', () => {
  /** Every second the replica says how far it has come, which is `offset`; a write goes every 100 ms. */
  function playSeconds(stage: Stage, seconds: number, offset?: number): string[] {
    const replies: string[] = []
    for (let tenth = 0; tenth < 10 * seconds; tenth++) {
      if (tenth % 10 === 0) stage.acknowledge(offset)
      replies.push(stage.set())
      stage.harness.advance(100)
    }
    return replies
  }

  test('one that the stream does not reach any more does not count, though it says every second that it is there', () => {
    const stage = new Stage()
    const replies = playSeconds(stage, 6, stage.masterOffset)
    // max-lag is 2 seconds, and lags are looked at four times a second.
    const taken = replies.indexOf(REFUSED)
    expect(taken).toBeGreaterThanOrEqual(20)
    expect(taken).toBeLessThanOrEqual(23)
    expect(replies.lastIndexOf('+OK\r\n')).toBe(taken - 1)
  })

  test('one that says nothing any more does not count either', () => {
    const stage = new Stage({ 'repl-ping-replica-period': '10' })
    stage.harness.advance(1900)
    expect(stage.set()).toBe('+OK\r\n')
    stage.harness.advance(400)
    expect(stage.set()).toBe(REFUSED)
  })

  test('one whose acknowledgement waits beside a write is not missed after a short pause', () => {
    const stage = new Stage()
    stage.harness.advance(1000)
    stage.standStill(1500)
    expect(stage.set()).toBe('+OK\r\n')
    stage.acknowledge()
    stage.harness.advance(0)
    expect(stage.set()).toBe('+OK\r\n')
  })

  test('one that was late before a pause does not count after it, however short the pause', () => {
    const stage = new Stage()
    stage.harness.advance(1900)
    stage.standStill(1500)
    expect(stage.set()).toBe(REFUSED)
  })

  test('one that has everything counts while nothing is written, however long', () => {
    const stage = new Stage()
    for (let second = 0; second < 60; second++) {
      stage.acknowledge()
      stage.harness.advance(1000)
    }
    expect(stage.set()).toBe('+OK\r\n')
  })

  for (const maxLag of ['1', '2']) {
    test(`a healthy one is never missed with max-lag ${maxLag} and a slow way`, () => {
      const stage = new Stage({ 'min-replicas-max-lag': maxLag })
      const offsets: number[] = []
      const replies = new Set<string>()
      // It is 300 ms away, there and back, and acknowledges every 1.1 s; writes come at every phase of that.
      for (let ms = 0; ms < 120_000; ms += 50) {
        offsets.push(stage.masterOffset)
        if (ms % 1100 === 0) stage.acknowledge(offsets.at(-7) ?? stage.masterOffset)
        if (ms % 17 < 9) replies.add(stage.set())
        stage.harness.advance(50)
      }
      expect([...replies]).toEqual(['+OK\r\n'])
    })
  }

  test('one that comes back is asked at once for what it has missed', () => {
    const world = new ReplicationWorld()
    const master = world.node({ ...GUARDED, 'min-replicas-to-write': '0' })
    const replica = world.replicaOf(master)
    world.run(1500)
    world.network.cut(master as TestNode, replica)
    for (let n = 0; n < 40; n++) {
      master.call('SET', `k${n}`, 'v')
      world.run(100)
    }
    master.call('CONFIG', 'SET', 'min-replicas-to-write', '1')
    world.network.join(master, replica)
    world.until(() => replica.info('master_link_status') === 'up')
    expect(master.call('SET', 'k', 'v')).toMatchObject({ kind: 'error' })
    world.run(10)
    expect(master.call('SET', 'k', 'v')).toEqual(OK)
  })
})

describe('a replica that comes back on a new connection while the old one looks well', () => {
  /** A replica at 10.0.0.7 that goes on where the master is. */
  function join({ harness, masterOffset, client }: Stage, port: string): TestClient {
    const replica = harness.client('10.0.0.7')
    const id = /master_replid:(\w+)/.exec(client.say('INFO replication'))?.[1] ?? ''
    replica.send('REPLCONF', 'listening-port', port, 'capa', 'psync2')
    replica.bytes(encodeCommand(['PSYNC', id, String(masterOffset + 1)]))
    replica.send('REPLCONF', 'ACK', String(masterOffset))
    return replica
  }

  function acknowledge(stage: Stage, replica: TestClient, offset = stage.masterOffset): void {
    replica.send('REPLCONF', 'ACK', String(offset))
  }

  /** It needs three replicas, and has one. */
  function stageForThree(): Stage {
    const stage = new Stage({ 'min-replicas-to-write': '3', 'protected-mode': 'no' })
    stage.acknowledge()
    return stage
  }

  test('is one replica, not two', () => {
    const stage = stageForThree()
    join(stage, '6379')
    const back = join(stage, '6379')
    stage.harness.advance(0)
    acknowledge(stage, back)
    stage.acknowledge()
    expect(stage.set()).toBe(REFUSED)
    expect(stage.client.say('WAIT 3 1')).toBe('')
    stage.harness.advance(1)
    expect(stage.client.take()).toBe(':2\r\n')
  })

  test('is not believed for what its old connection still had in its socket', () => {
    const stage = stageForThree()
    const old = join(stage, '6379')
    const before = stage.masterOffset
    join(stage, '6379')
    acknowledge(stage, old, before)
    expect(stage.set()).toBe(REFUSED)
  })

  test('two behind one address translation are asked at once, and both count when both have answered', () => {
    const stage = stageForThree()
    const first = join(stage, '6379')
    const second = join(stage, '6379')
    first.take()
    stage.harness.advance(0)
    expect(first.take()).toContain('GETACK')
    for (const one of [first, second]) acknowledge(stage, one)
    stage.acknowledge()
    expect(stage.set()).toBe('+OK\r\n')
  })

  test('two with ports of their own are two from the beginning', () => {
    const stage = stageForThree()
    for (const port of ['6379', '6380']) join(stage, port)
    expect(stage.set()).toBe('+OK\r\n')
  })
})
