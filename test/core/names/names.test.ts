/** Host names in the machine: what is asked, when it is dialled, and which texts mean one machine. */
import { describe, expect, test } from 'vitest'
import { formatHello } from '../../../src/core/discovery/hello-format.ts'
import { receiveHello } from '../../../src/core/discovery/hello-receive.ts'
import { onInfoReply } from '../../../src/core/discovery/info-reply.ts'
import type { Effect } from '../../../src/core/effect.ts'
import type { Answer } from '../../../src/core/external-query.ts'
import { sendSlaveof } from '../../../src/core/failover/slaveof.ts'
import { sameHost } from '../../../src/core/names/names.ts'
import type { Instance, Replica } from '../../../src/core/state.ts'
import { onInquired, step } from '../../../src/core/step.ts'
import { bulk } from '../../../src/resp/reply.ts'
import {
  MYMASTER,
  PEERS,
  type SentinelSetup,
  TestSentinel,
} from '../../support/sentinel-builder.ts'

const [PEER] = PEERS
const NAMES = { resolveHostnames: true } as const
const SHOWN = { resolveHostnames: true, announceHostnames: true } as const
const NOWHERE: Answer = { kind: 'failed', reason: 'ENOTFOUND' }

function at(address: string): Answer {
  return { kind: 'resolve', address }
}

function start(host: string, setup: SentinelSetup = {}): TestSentinel {
  const groups = [{ ...MYMASTER, host }]
  return new TestSentinel({ ...NAMES, ...setup, groups })
}

/** The questions for names that have no answer yet. */
function asked(sentinel: TestSentinel): string[] {
  return [...sentinel.state.inquiries.open.values()].flatMap((purpose) =>
    purpose.kind === 'name' ? [purpose.host] : [],
  )
}

function answer(sentinel: TestSentinel, host: string, found: Answer): void {
  const open = [...sentinel.state.inquiries.open]
  const inquiry = open.find(([, purpose]) => purpose.kind === 'name' && purpose.host === host)?.[0]
  if (inquiry === undefined) throw new Error(`${host} was not asked for`)
  sentinel.run((turn) => onInquired(turn, inquiry, found))
}

function hear(sentinel: TestSentinel, change: Partial<Parameters<typeof formatHello>[0]>): void {
  const { runId = '', host = '', port = 0 } = PEER ?? {}
  const hello = { runId, host, port, currentEpoch: 0, group: 'mymaster', configEpoch: 0 }
  const master = { masterHost: sentinel.group.config.host, masterPort: 6379 }
  sentinel.run((turn) => receiveHello(turn, formatHello({ ...hello, ...master, ...change })))
}

function inform(sentinel: TestSentinel, ...lines: string[]): void {
  const text = [`run_id:${'9'.repeat(40)}`, 'role:master', ...lines, ''].join('\r\n')
  sentinel.run((turn) => onInfoReply(turn, sentinel.group.master, bulk(text)))
}

function dialled(effects: readonly Effect[]): string[] {
  return effects.flatMap((one) => (one.kind === 'openLink' ? [`${one.channel} ${one.host}`] : []))
}

function events(sentinel: TestSentinel): string[] {
  return sentinel.effects.flatMap((one) => (one.kind === 'log' ? [one.text] : []))
}

function saves(sentinel: TestSentinel): number {
  return sentinel.effects.filter((one) => one.kind === 'save').length
}

function fields(reply: string): string[] {
  return reply.split('\r\n').filter((line) => !line.startsWith('$') && !line.startsWith('*'))
}

/** The instance has lost its command connection. */
function cut(sentinel: TestSentinel, { link }: Instance): void {
  const id = link.command?.id ?? 0
  const event = { kind: 'linkLost', link: id, reason: 'reset', isRefused: false } as const
  sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, event)))
}

function wake(sentinel: TestSentinel, afterMs: number): void {
  sentinel.advance(afterMs)
  sentinel.run((turn) => turn.effects.push(...step(turn.state, turn.now, { kind: 'wake' })))
}

describe('without resolve-hostnames only addresses can be instances', () => {
  test('a Sentinel that announces a name is not met, but its epoch counts', () => {
    const sentinel = new TestSentinel()
    hear(sentinel, { host: 'sentinel-2', currentEpoch: 7 })
    expect(sentinel.group.peers.size).toBe(0)
    expect(sentinel.state.currentEpoch).toBe(7)
    expect(asked(sentinel)).toEqual([])
  })

  test('a known peer that announces a name from now on is neither forgotten nor moved', () => {
    const sentinel = new TestSentinel({ peers: PEERS })
    hear(sentinel, { host: 'sentinel-2' })
    expect(sentinel.group.peers.get(PEER?.runId ?? '')?.host).toBe(PEER?.host)
  })

  test('a new master that is told by name is not adopted, and neither is its epoch', () => {
    const sentinel = new TestSentinel({ peers: PEERS })
    hear(sentinel, { masterHost: 'db-2', configEpoch: 3, currentEpoch: 3 })
    expect(sentinel.group.config.host).toBe('10.0.0.1')
    expect(sentinel.group.configEpoch).toBe(0)
  })

  test('a replica that is listed by name is not added, and that is said once', () => {
    const sentinel = new TestSentinel()
    for (let i = 0; i < 3; i++) inform(sentinel, 'slave0:ip=db-2,port=6380,state=online')
    expect(sentinel.group.replicas.size).toBe(0)
    const said = events(sentinel).filter((text) => text.includes('db-2'))
    expect(said).toEqual([
      "replica of mymaster: 'db-2' is no address and cannot be resolved: resolve-hostnames is off",
    ])
  })
})

describe('a name is asked for before it is dialled', () => {
  test('a master by name is connected to as soon as its address is known', () => {
    const sentinel = start('db-1')
    expect(sentinel.group.master.link.command).toBeUndefined()
    expect(asked(sentinel)).toEqual(['db-1'])
    answer(sentinel, 'db-1', at('10.0.0.7'))
    expect(dialled(sentinel.effects)).toEqual(['command 10.0.0.7', 'pubsub 10.0.0.7'])
  })

  test('a name that cannot be resolved is asked for again a second later, and complained of once', () => {
    const sentinel = start('db-1')
    answer(sentinel, 'db-1', NOWHERE)
    expect(asked(sentinel)).toEqual([])
    wake(sentinel, 1_000)
    answer(sentinel, 'db-1', NOWHERE)
    wake(sentinel, 1_000)
    expect(asked(sentinel)).toEqual(['db-1'])
    const failures = events(sentinel).filter((text) => text.startsWith('Failed to resolve'))
    expect(failures).toEqual(["Failed to resolve hostname 'db-1': ENOTFOUND"])
    answer(sentinel, 'db-1', at('10.0.0.7'))
    expect(dialled(sentinel.effects)).toEqual(['command 10.0.0.7', 'pubsub 10.0.0.7'])
  })

  test('while a question has no answer no other is put', () => {
    const sentinel = start('db-1')
    for (let i = 0; i < 10; i++) wake(sentinel, 1_000)
    expect(asked(sentinel)).toEqual(['db-1'])
  })

  test('a master whose name is never answered is down after down-after', () => {
    const sentinel = start('db-1')
    // The builder makes every instance healthy; this one has never been.
    sentinel.group.master.link.pingPendingSinceMs = sentinel.now.monoMs
    for (let ms = 0; ms <= 31_000; ms += 10) wake(sentinel, 10)
    expect(events(sentinel)).toContain('+sdown master mymaster db-1 6379')
  })

  test('the last known address is dialled at once while the name is asked for anew', () => {
    const sentinel = start('db-1')
    answer(sentinel, 'db-1', at('10.0.0.7'))
    sentinel.advance(5_000)
    sentinel.effects.length = 0
    cut(sentinel, sentinel.group.master)
    expect(dialled(sentinel.effects)).toEqual(['command 10.0.0.7'])
    expect(asked(sentinel)).toEqual(['db-1'])
  })

  test('when the answer is another address both connections go there', () => {
    const sentinel = start('db-1')
    answer(sentinel, 'db-1', at('10.0.0.7'))
    sentinel.advance(5_000)
    cut(sentinel, sentinel.group.master)
    sentinel.effects.length = 0
    answer(sentinel, 'db-1', at('10.0.0.8'))
    expect(sentinel.effects.filter(({ kind }) => kind === 'closeLink')).toHaveLength(2)
    expect(dialled(sentinel.effects)).toEqual(['command 10.0.0.8', 'pubsub 10.0.0.8'])
  })

  test('a connection from before the question stays: a name may have several addresses', () => {
    const sentinel = start('db-1', { replicas: [{ host: 'db-1', port: 6380 }] })
    answer(sentinel, 'db-1', at('10.0.0.7'))
    sentinel.advance(5_000)
    cut(sentinel, sentinel.group.master)
    sentinel.effects.length = 0
    answer(sentinel, 'db-1', at('10.0.0.8'))
    const [replica] = sentinel.group.replicas.values()
    expect(replica?.link.command?.address).toBe('10.0.0.7')
  })

  test('a failed answer takes no address away', () => {
    const sentinel = start('db-1')
    answer(sentinel, 'db-1', at('10.0.0.7'))
    sentinel.advance(5_000)
    cut(sentinel, sentinel.group.master)
    answer(sentinel, 'db-1', NOWHERE)
    expect(sentinel.group.master.link.command?.address).toBe('10.0.0.7')
  })

  test('turned on at run time, resolve-hostnames brings a master by name to life', () => {
    const sentinel = start('db-1', { resolveHostnames: false })
    wake(sentinel, 1_000)
    expect(asked(sentinel)).toEqual([])
    sentinel.state.config = { ...sentinel.state.config, resolveHostnames: true }
    wake(sentinel, 1_000)
    expect(asked(sentinel)).toEqual(['db-1'])
  })
})

describe('a name and an address of one machine are one', () => {
  test('a replica listed by its address and by its name is one replica', () => {
    const sentinel = start('10.0.0.1')
    inform(sentinel, 'slave0:ip=10.0.0.2,port=6380', 'slave1:ip=db-2,port=6380')
    expect(sentinel.group.replicas.size).toBe(1)
    answer(sentinel, 'db-2', at('10.0.0.2'))
    expect([...sentinel.group.replicas.keys()]).toEqual(['10.0.0.2:6380'])
  })

  test('two names of one address are one replica', () => {
    const sentinel = start('10.0.0.1', SHOWN)
    inform(sentinel, 'slave0:ip=db-2,port=6380', 'slave1:ip=db-2.local,port=6380')
    answer(sentinel, 'db-2', at('10.0.0.2'))
    answer(sentinel, 'db-2.local', at('10.0.0.2'))
    expect([...sentinel.group.replicas.keys()]).toEqual(['db-2:6380'])
  })

  test('a replica whose name cannot be resolved is added all the same, and tried again', () => {
    const sentinel = start('10.0.0.1')
    inform(sentinel, 'slave0:ip=db-2,port=6380')
    answer(sentinel, 'db-2', NOWHERE)
    expect([...sentinel.group.replicas.keys()]).toEqual(['db-2:6380'])
    wake(sentinel, 2_000)
    expect(asked(sentinel)).toEqual(['db-2'])
  })

  test('a hello that names the same master in other words changes nothing', () => {
    const sentinel = start('10.0.0.1', { peers: PEERS, configEpoch: 3 })
    hear(sentinel, { masterHost: 'db-1', configEpoch: 4, currentEpoch: 4 })
    expect(sentinel.group.configEpoch).toBe(3)
    answer(sentinel, 'db-1', at('10.0.0.1'))
    expect(sentinel.group.configEpoch).toBe(4)
    expect(sentinel.group.config.host).toBe('10.0.0.1')
    expect(events(sentinel).filter((text) => text.startsWith('+switch-master'))).toEqual([])
  })

  test('a hello that names a new master is obeyed once the name is answered', () => {
    const sentinel = start('10.0.0.1', { peers: PEERS })
    hear(sentinel, { masterHost: 'db-2', masterPort: 6380, configEpoch: 4, currentEpoch: 4 })
    expect(sentinel.group.config.host).toBe('10.0.0.1')
    answer(sentinel, 'db-2', at('10.0.0.2'))
    expect(sentinel.group.config.host).toBe('db-2')
    expect(events(sentinel)).toContain('+switch-master mymaster 10.0.0.1 6379 10.0.0.2 6380')
    expect(dialled(sentinel.effects)).toContain('command 10.0.0.2')
  })

  test('a new master that cannot be resolved is believed, told on, and tried again', () => {
    const sentinel = start('10.0.0.1', { peers: PEERS })
    hear(sentinel, { masterHost: 'db-2', masterPort: 6380, configEpoch: 4, currentEpoch: 4 })
    answer(sentinel, 'db-2', NOWHERE)
    const client = sentinel.connect()
    expect(fields(client.ask('SENTINEL GET-MASTER-ADDR-BY-NAME mymaster'))).toEqual([
      'db-2',
      '6380',
      '',
    ])
    wake(sentinel, 2_000)
    answer(sentinel, 'db-2', at('10.0.0.2'))
    expect(sentinel.group.master.link.command?.address).toBe('10.0.0.2')
  })

  test('an observer keeps the name it knows the new master by', () => {
    const sentinel = start('10.0.0.1', { peers: PEERS, replicas: [{ host: 'db-2', port: 6380 }] })
    answer(sentinel, 'db-2', at('10.0.0.2'))
    hear(sentinel, { masterHost: '10.0.0.2', masterPort: 6380, configEpoch: 4, currentEpoch: 4 })
    expect(sentinel.group.config.host).toBe('db-2')
    expect([...sentinel.group.replicas.keys()]).toEqual(['10.0.0.1:6379'])
  })

  test('a peer that announces its name instead of its address has not moved', () => {
    const sentinel = start('10.0.0.1', { peers: PEERS })
    const before = sentinel.group.peers.get(PEER?.runId ?? '')
    hear(sentinel, { host: 'sentinel-2' })
    answer(sentinel, 'sentinel-2', at(PEER?.host ?? ''))
    expect(sentinel.group.peers.get(PEER?.runId ?? '')).toBe(before)
    expect(saves(sentinel)).toBe(0)
  })

  test('a peer asks about the master by a name heard before, and finds it', () => {
    const sentinel = start('10.0.0.1')
    sentinel.group.master.sdownSinceMs = sentinel.now.monoMs
    const client = sentinel.connect()
    const ask = 'SENTINEL IS-MASTER-DOWN-BY-ADDR db-1 6379 0 *'
    expect(client.ask(ask)).toBe('*3\r\n:0\r\n$1\r\n*\r\n:0\r\n')
    answer(sentinel, 'db-1', at('10.0.0.1'))
    expect(client.ask(ask)).toBe('*3\r\n:1\r\n$1\r\n*\r\n:0\r\n')
  })

  test('IPv6 is compared by value, and mapped IPv4 is IPv4', () => {
    const { state } = new TestSentinel()
    expect(sameHost(state, '::1', '0:0::0001')).toBe(true)
    expect(sameHost(state, '::ffff:10.0.0.1', '10.0.0.1')).toBe(true)
    expect(sameHost(state, '::FFFF:a00:1', '10.0.0.1')).toBe(true)
    expect(sameHost(state, '10.0.0.1', '10.0.0.2')).toBe(false)
    expect(sameHost(state, 'DB-1', 'db-1')).toBe(true)
    expect(sameHost(state, 'db-1', 'db-2')).toBe(false)
  })

  test('nobody is told to follow itself, whatever its names are', () => {
    const sentinel = start('db-1', { replicas: [{ host: '10.0.0.2', port: 6379 }] })
    answer(sentinel, 'db-1', at('10.0.0.2'))
    const [replica] = sentinel.group.replicas.values()
    let sent = true
    sentinel.run((turn) => {
      sent = sendSlaveof(turn, replica as Replica, sentinel.group.config)
    })
    expect(sent).toBe(false)
  })
})

describe('announce-hostnames says how hosts are told', () => {
  function restart(setup: SentinelSetup): TestSentinel {
    const replicas = [{ host: 'db-2', port: 6380 }]
    const sentinel = start('db-1', { ...setup, replicas, peers: PEERS })
    answer(sentinel, 'db-1', at('10.0.0.7'))
    answer(sentinel, 'db-2', at('fd00::2'))
    return sentinel
  }

  function told(sentinel: TestSentinel) {
    const client = sentinel.connect()
    const lists = ['MASTER', 'REPLICAS'].map((list) =>
      fields(client.ask(`SENTINEL ${list} mymaster`)).slice(1, 4),
    )
    const address = fields(client.ask('SENTINEL GET-MASTER-ADDR-BY-NAME mymaster'))[0]
    const info = /address=[^,]+/.exec(client.ask('INFO sentinel'))?.[0]
    return { lists, address, info }
  }

  test('no: by address, once it is known', () => {
    expect(told(restart({}))).toEqual({
      lists: [
        ['mymaster', 'ip', '10.0.0.7'],
        ['[fd00::2]:6380', 'ip', 'fd00::2'],
      ],
      address: '10.0.0.7',
      info: 'address=10.0.0.7:6379',
    })
  })

  test('yes: by name', () => {
    expect(told(restart(SHOWN))).toEqual({
      lists: [
        ['mymaster', 'ip', 'db-1'],
        ['db-2:6380', 'ip', 'db-2'],
      ],
      address: 'db-1',
      info: 'address=db-1:6379',
    })
  })

  test('changed at run time it holds at once, but a replica keeps the name it has', () => {
    const sentinel = restart({})
    sentinel.state.config = { ...sentinel.state.config, announceHostnames: true }
    expect(told(sentinel).lists).toEqual([
      ['mymaster', 'ip', 'db-1'],
      ['[fd00::2]:6380', 'ip', 'db-2'],
    ])
  })

  test('hellos, SLAVEOF and questions to peers carry the same form', () => {
    for (const [setup, host] of [
      [{}, '10.0.0.7'],
      [SHOWN, 'db-1'],
    ] as const) {
      const sentinel = restart(setup)
      const [replica] = sentinel.group.replicas.values() as Iterable<Replica>
      if (replica?.link.command !== undefined) replica.link.command.up = true
      sentinel.run((turn) => sendSlaveof(turn, replica as Replica, sentinel.group.config))
      sentinel.group.config = { ...sentinel.group.config, downAfterMs: 1_000 }
      sentinel.group.master.link.pingPendingSinceMs = sentinel.now.monoMs
      for (let ms = 0; ms <= 2_500; ms += 100) wake(sentinel, 100)
      const sent = sentinel.effects.flatMap((one) => (one.kind === 'send' ? [one.argv] : []))
      expect(sent).toContainEqual(['SLAVEOF', host, '6379'])
      const asks = sent.filter(([, word]) => word === 'is-master-down-by-addr')
      expect(new Set(asks.map(([, , told]) => told))).toEqual(new Set([host]))
      const hellos = sent.filter(([verb]) => verb === 'PUBLISH').map(([, , text = '']) => text)
      expect(new Set(hellos.map((text) => text.split(',')[5]))).toEqual(new Set([host]))
      expect(events(sentinel)).toContain(`+sdown master mymaster ${host} 6379`)
    }
  })
})

describe('SENTINEL MONITOR of a name', () => {
  function monitor(sentinel: TestSentinel, words: string) {
    const client = sentinel.connect()
    const first = client.ask(`SENTINEL MONITOR ${words}`)
    return { client, first }
  }

  function resolve(sentinel: TestSentinel, found: Answer): void {
    const [inquiry] = [...sentinel.state.inquiries.open.keys()].slice(-1)
    sentinel.run((turn) => onInquired(turn, inquiry ?? 0, found))
  }

  test('waits for the answer, and holds up nobody else', () => {
    const sentinel = start('10.0.0.1')
    const { client, first } = monitor(sentinel, 'other db-9 6379 2')
    expect(first).toBe('')
    expect(sentinel.connect().ask('PING')).toBe('+PONG\r\n')
    resolve(sentinel, at('10.0.0.9'))
    expect(client.read()).toBe('+OK\r\n')
    expect(sentinel.state.groups.get('other')?.master.link.command?.address).toBe('10.0.0.9')
    expect(asked(sentinel)).toEqual([])
  })

  test('is refused when there is no such host', () => {
    const sentinel = start('10.0.0.1')
    const { client } = monitor(sentinel, 'other db-9 6379 2')
    resolve(sentinel, NOWHERE)
    expect(client.read()).toBe('-ERR Invalid IP address or hostname specified\r\n')
    expect(sentinel.state.groups.size).toBe(1)
  })

  const REFUSALS: readonly (readonly [words: string, text: string, isAsked: boolean])[] = [
    ['x db-9 6379 two', 'Invalid quorum', false],
    ['x db-9 port 2', 'Invalid port', false],
    ['x db-9 6379 0', 'Quorum must be 1 or greater.', false],
    ['x db,9 6379 1', 'Invalid IP address or hostname specified', false],
    ['x db-9 70000 1', 'Invalid port number.', true],
    ['mymaster db-9 6379 1', 'Duplicate master name.', true],
  ]
  for (const [words, text, isAsked] of REFUSALS) {
    test(`${words}: ${text}`, () => {
      const sentinel = start('10.0.0.1')
      const { client, first } = monitor(sentinel, words)
      expect(first === '').toBe(isAsked)
      if (isAsked) resolve(sentinel, at('10.0.0.9'))
      expect(first + client.read()).toBe(`-ERR ${text}\r\n`)
    })
  }

  test('without resolve-hostnames it is refused unasked', () => {
    const { first } = monitor(new TestSentinel(), 'other db-9 6379 2')
    expect(first).toBe('-ERR Invalid IP address or hostname specified\r\n')
  })
})

describe('what strangers say is bounded', () => {
  test('names that nobody lives at are not kept, and few are asked for at once', () => {
    const sentinel = start('10.0.0.1', { replicas: [{ host: 'db-2', port: 6380 }] })
    const client = sentinel.connect()
    for (let i = 0; i < 1_000; i++) {
      client.ask(`SENTINEL IS-MASTER-DOWN-BY-ADDR host-${i} 6379 0 *`)
      expect(sentinel.state.inquiries.open.size).toBeLessThanOrEqual(16)
      for (const host of asked(sentinel)) {
        if (host !== 'db-2' && i % 50 === 49) answer(sentinel, host, NOWHERE)
      }
    }
    expect(sentinel.state.names.known.size).toBeLessThanOrEqual(64)
    answer(sentinel, 'db-2', at('10.0.0.2'))
    expect(sentinel.group.replicas.get('10.0.0.2:6380')?.link.command?.address).toBe('10.0.0.2')
  })

  test('what is no host name is not asked for', () => {
    const sentinel = start('10.0.0.1')
    for (const host of ['', '?', 'a b', '-x', 'x'.repeat(254), 'a/b', '[::1]', 'a\u00e9']) {
      hear(sentinel, { host, masterHost: host, configEpoch: 9 })
    }
    expect(asked(sentinel)).toEqual([])
    expect(sentinel.group.peers.size).toBe(0)
  })
})

describe('the port that hellos announce', () => {
  const PORTS: readonly (readonly [SentinelSetup, string])[] = [
    [{}, '26379'],
    [{ tlsPort: 26380 }, '26379'],
    [{ tlsReplication: true }, '26379'],
    [{ tlsPort: 26380, tlsReplication: true }, '26380'],
    [{ tlsPort: 26380, tlsReplication: true, announcePort: 5 }, '5'],
    [{ announcePort: 5 }, '5'],
  ]
  for (const [setup, port] of PORTS) {
    test(`${JSON.stringify(setup)}: ${port}`, () => {
      const sentinel = new TestSentinel({ ...setup, announceIp: 'fd00::9' })
      wake(sentinel, 2_000)
      const hellos = sentinel.effects.flatMap((one) =>
        one.kind === 'send' && one.argv[0] === 'PUBLISH' ? [one.argv[2]?.split(',')] : [],
      )
      expect(hellos[0]?.slice(0, 2)).toEqual(['fd00::9', port])
    })
  }
})
