/** The life of a link to a master that does in each phase what a sceptic would have it do. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { RequestDecoder } from '../../../src/resp/request-decoder.ts'
import type { ConnectionId } from '../../../src/server/port.ts'
import { crc64 } from '../../../src/server/rdb/crc64.ts'
import { RDB_END, rdbHeader } from '../../../src/server/rdb/rdb-writer.ts'
import { ReplicationWorld } from '../../support/replication-harness.ts'
import type { Party } from '../../support/virtual-network.ts'

const ID = 'b'.repeat(40)
const MARK = 'f0'.repeat(20)
const BODY = rdbHeader([['repl-stream-db', '0']]) + RDB_END
const RDB = BODY + crc64(BODY)
const FULL = `+FULLRESYNC ${ID} 5000\r\n`
const SET = encodeCommand(['SET', 'new', 'v'])

/** Answers what the test says, request by request; what it has no answer to stays unanswered. */
class HandMaster implements Party {
  readonly address = '10.0.2.1'
  readonly isDown = false
  readonly isFrozen = false
  /** By the first word of the request. */
  answers: Record<string, string> = {
    PING: '+PONG\r\n',
    REPLCONF: '+OK\r\n',
    INFO: '-NOPERM no\r\n',
  }
  /** What came, in the words of each request. */
  heard: string[] = []
  attempts = 0
  readonly #world: ReplicationWorld
  #decoder = new RequestDecoder()
  #connection: ConnectionId = 0

  constructor(world: ReplicationWorld) {
    this.#world = world
    world.network.add(this)
  }

  send(...chunks: string[]): void {
    for (const bytes of chunks) {
      this.#world.network.write(this, this.#connection, bytes)
      this.#world.run(3)
    }
  }

  hangUp(): void {
    this.#world.network.close(this, this.#connection)
    this.#world.run(3)
  }

  nextIncomingId(): ConnectionId {
    return ++this.#connection
  }

  accepted(): void {
    this.attempts++
    this.#decoder = new RequestDecoder()
  }

  connected(): void {}

  closed(): void {}

  received(_id: ConnectionId, bytes: string): void {
    this.#decoder.push(bytes)
    for (let next = this.#decoder.next(); next !== undefined; next = this.#decoder.next()) {
      if (next.kind !== 'command') continue
      this.heard.push(next.argv.join(' '))
      const answer = this.answers[next.argv[0] ?? '']
      if (next.argv[1] === 'ACK') continue
      if (answer !== undefined) this.#world.network.write(this, this.#connection, answer)
    }
  }
}

/** A replica with data of an earlier master, and the one it follows now. */
function stage(directives: Record<string, string> = {}) {
  const world = new ReplicationWorld()
  const first = world.node()
  first.call('SET', 'old', 'v')
  const all = { 'replica-empty-master-guard': 'no', 'repl-timeout': '20', ...directives }
  const replica = world.replicaOf(first, all)
  world.untilInStep(first, replica)
  const master = new HandMaster(world)
  const place = `${replica.info('master_replid')} ${replica.offset + 1}`
  const follow = () => {
    replica.call('REPLICAOF', master.address, '6379')
    world.run(10)
  }
  const status = () => replica.info('master_link_status')
  return { world, first, replica, master, place, follow, status }
}

describe('a full copy', () => {
  function copying() {
    const scene = stage()
    scene.follow()
    scene.master.send(`${FULL}\n\n$EOF:${MARK}\r\n`, RDB.slice(0, 20))
    expect(scene.replica.info('master_sync_in_progress')).toBe('1')
    return scene
  }

  test('that breaks off leaves data and place', () => {
    const { world, master, replica, place } = copying()
    master.heard = []
    master.hangUp()
    world.run(2000)
    expect(replica.get('old')).toBe('v')
    expect(master.heard).toContain(`PSYNC ${place}`)
    expect(replica.logs.join('\n')).toMatch(/no link: .*, before its copy was complete/)
  })

  test('whose mark and stream come in any pieces is taken whole', () => {
    const { master, replica, status } = copying()
    master.send(RDB.slice(20) + MARK.slice(0, 7), MARK.slice(7, 39), MARK.slice(39) + SET)
    expect([status(), replica.get('old'), replica.get('new')]).toEqual(['up', undefined, 'v'])
    expect(replica.offset).toBe(5000 + SET.length)
    expect(master.heard.at(-1)).toMatch(/^REPLCONF ACK 5000/)
  })

  test('after whose mark the master goes is taken, and continued', () => {
    const { world, master, replica } = copying()
    master.send(RDB.slice(20) + MARK)
    master.heard = []
    master.hangUp()
    world.run(2000)
    expect(replica.get('old')).toBeUndefined()
    expect(master.heard).toContain(`PSYNC ${ID} 5001`)
  })

  test('is given up by REPLICAOF NO ONE: the data of before, and their history, are ours', () => {
    const { world, master, replica, place } = copying()
    replica.promote()
    master.send(RDB.slice(20) + MARK + SET)
    world.run(2000)
    expect([replica.get('old'), replica.get('new'), replica.info('role')]).toEqual([
      'v',
      undefined,
      'master',
    ])
    expect(`${replica.info('master_replid2')} ${replica.info('second_repl_offset')}`).toBe(place)
    expect(master.attempts).toBe(1)
  })

  test('is given up for another master, which is offered the place of before', () => {
    const { world, first, replica } = copying()
    replica.follow(first)
    world.untilInStep(first, replica)
    expect(replica.get('old')).toBe('v')
    expect(first.logs.filter((line) => line.includes('continues from'))).toHaveLength(1)
  })

  test('is waited for as long as newlines come, and given up in silence', () => {
    const { world, follow, master, replica } = stage()
    follow()
    master.send(FULL)
    for (let turn = 0; turn < 10; turn++) {
      master.send('\n')
      world.run(15_000)
    }
    expect([replica.info('master_sync_in_progress'), master.attempts]).toEqual(['1', 1])
    world.run(8000)
    expect(master.attempts).toBeGreaterThan(1)
    expect(replica.logs.join('\n')).toContain('no link: it is silent')
  })
})

describe('silence', () => {
  const PHASES: readonly [string, Record<string, string>, limitMs: number][] = [
    ['in answer to PING', {}, 5000],
    ['in answer to REPLCONF', { PING: '+PONG\r\n' }, 5000],
    ['in answer to INFO', { PING: '+PONG\r\n', REPLCONF: '+OK\r\n' }, 5000],
  ]
  for (const [title, answers, limitMs] of PHASES) {
    test(`${title} ends the attempt after ${limitMs} ms`, () => {
      const { world, follow, master } = stage()
      master.answers = answers
      follow()
      world.run(limitMs - 100)
      expect(master.attempts).toBe(1)
      world.run(1500)
      expect(master.attempts).toBe(2)
    })
  }

  test('in answer to PSYNC ends it after repl-timeout, and newlines are no silence', () => {
    const { world, follow, master } = stage()
    follow()
    world.run(19_000)
    expect(master.attempts).toBe(1)
    for (let turn = 0; turn < 5; turn++) {
      master.send('\n')
      world.run(19_000)
    }
    expect(master.attempts).toBe(1)
    world.run(4000)
    expect(master.attempts).toBeGreaterThan(1)
  })
})

describe('what a master says against us is in the log, in its words', () => {
  const REFUSALS: readonly [asked: string, answer: string][] = [
    ['PING', '-ERR not today'],
    ['AUTH', '-WRONGPASS invalid username-password pair or user is disabled.'],
    ['AUTH', '-ERR AUTH <password> called without any password configured for the default user.'],
    ['PSYNC', "-NOPERM User u has no permissions to run the 'psync' command"],
    ['PSYNC', '-LOADING Redis is loading the dataset in memory'],
    ['PSYNC', "-NOMASTERLINK Can't SYNC while not connected with my master"],
    ['PSYNC', '+FULLRESYNC nonsense 1'],
    ['PSYNC', `+FULLRESYNC ${ID} -1`],
    ['PSYNC', '*1'],
  ]
  for (const [asked, answer] of REFUSALS) {
    test(`to ${asked}: ${answer}`, () => {
      const { world, follow, master, replica } = stage({ 'replica-empty-master-guard': 'yes' })
      replica.call('CONFIG', 'SET', 'masteruser', 'u', 'masterauth', 'pw')
      master.answers = { ...master.answers, AUTH: '+OK\r\n', [asked]: `${answer}\r\n` }
      follow()
      world.run(10_000)
      const told = replica.logs.filter((line) => line.startsWith('warning: master'))
      expect(told).toHaveLength(1)
      expect(told[0]).toContain(answer.startsWith('+') ? 'names no position' : answer)
      expect(master.attempts).toBeGreaterThan(8)
      expect(replica.get('old')).toBe('v')
    })
  }
})
