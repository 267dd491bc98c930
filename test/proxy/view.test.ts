/** Whom the proxy believes, and for how long. */
import { describe, expect, test } from 'vitest'
import { error, NULL_ARRAY } from '../../src/resp/reply.ts'
import { A, B, DEFAULTS, ProxyStage } from '../support/proxy-stage.ts'

const [S1, S2, S3] = ['10.0.1.1:26379', '10.0.1.2:26379', '10.0.1.3:26379']
const LIE = '10.6.6.6:6379'

function infoOf(master: string, lagSeconds: number): string {
  const [host, port] = master.split(':')
  return [
    ...['role:slave', `master_host:${host}`, `master_port:${port}`, 'master_link_status:up'],
    `master_last_io_seconds_ago:${lagSeconds}`,
  ].join('\r\n')
}

function masterOf(stage: ProxyStage): string | undefined {
  const address = stage.proxy.groups[0]?.masterAt(stage.nowMs)
  return address === undefined ? undefined : `${address.host}:${address.port}`
}

test('a master is confirmed by two of three Sentinels, and not by one', () => {
  const stage = new ProxyStage()
  stage.names.set(S1, B)
  stage.pass(2_000)
  expect(masterOf(stage)).toBe(A)
  stage.names.set(S2, B)
  stage.pass(1_100)
  expect(masterOf(stage)).toBe(B)
})

test('with three Sentinels of three minds there is no master, and nothing is forwarded', () => {
  const stage = new ProxyStage()
  stage.names.set(S1, B)
  stage.names.set(S2, LIE)
  stage.pass(2_000)
  const client = stage.client()
  client.sends('INCR a')
  expect([masterOf(stage), stage.connections(A), stage.connections(B)]).toEqual([undefined, 0, 0])
})

test('a master whose Sentinels are silent is forwarded to until the lease is over, and no longer', () => {
  const stage = new ProxyStage({ leaseMs: 500 })
  const client = stage.client()
  client.sends('PING')
  stage.server(A).says('+PONG')
  stage.server(A).takes()
  for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, undefined)
  stage.pass(300)
  client.sends('INCR a')
  expect(stage.server(A).takes()).toEqual(['INCR a'])
  stage.pass(300)
  client.sends('INCR b')
  expect([stage.server(A).takes(), masterOf(stage)]).toEqual([[], undefined])
})

test('it is forwarded to again when they come back', () => {
  const stage = new ProxyStage({ leaseMs: 500 })
  const client = stage.client()
  for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, undefined)
  stage.pass(2_000)
  client.sends('INCR a')
  for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, A)
  stage.pass(2_000)
  expect(stage.server(A).takes()).toEqual(['INCR a'])
})

describe('a switch that Sentinels announce', () => {
  /** They owe all answers from now on, and say of themselves only what they announce. */
  function silenced(leaseMs = 500): ProxyStage {
    const stage = new ProxyStage({ leaseMs })
    stage.pass(100)
    for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, undefined)
    return stage
  }

  test('is their word, although they owe the answer to a question', () => {
    const stage = silenced()
    stage.publish('+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 6379')
    expect(masterOf(stage)).toBe(B)
  })

  test('holds for a lease from the last answer on that connection, and not from when it came', () => {
    const stage = silenced(500)
    stage.pass(400)
    stage.publish('+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 6379')
    expect(masterOf(stage)).toBe(B)
    stage.pass(100)
    expect(masterOf(stage)).toBeUndefined()
  })

  test('is no word of a Sentinel that has never answered on that connection', () => {
    const stage = new ProxyStage()
    stage.answersPings = false
    for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, A)
    stage.pass(3_000)
    for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, undefined)
    stage.publish('+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 6379')
    expect(masterOf(stage)).toBe(A)
  })

  test('without an address is passed over', () => {
    const stage = silenced()
    stage.publish('+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 many')
    expect(masterOf(stage)).toBe(A)
  })
})

describe('Sentinels that are not named', () => {
  const others = ['10.0.1.4:26379', '10.0.1.5:26379']

  test('count when most of the named ones know them', () => {
    const stage = new ProxyStage()
    for (const sentinel of [S1, S2]) stage.knows.set(sentinel, [S1, S2, S3, ...others])
    stage.pass(3_000)
    expect(stage.proxy.groups[0]?.electorate.electors().size).toBe(5)
  })

  test('do not count when one of them makes them up', () => {
    const stage = new ProxyStage()
    stage.knows.set(S1, [S2, S3, ...others])
    stage.pass(3_000)
    expect(stage.proxy.groups[0]?.electorate.electors().size).toBe(3)
  })
})

test('one Sentinel under two addresses has one vote', () => {
  const stage = new ProxyStage({
    sentinels: [
      { host: '10.0.1.1', port: 26_379 },
      { host: '10.0.1.1', port: 26_379 },
    ],
  })
  stage.knows.set(S1, [])
  stage.pass(2_000)
  expect(stage.proxy.groups[0]?.electorate.electors().size).toBe(1)
})

describe('the read port', () => {
  const REPLICA = '10.0.0.3:6379'

  test('says once why a replica is not read that refuses the proxy, and when it answers again', () => {
    const stage = new ProxyStage({ user: 'proxy', password: 'secret' })
    stage.replicas.push(REPLICA)
    stage.nodeLogin = error('WRONGPASS invalid username-password pair or user is disabled.')
    stage.infos.set(REPLICA, infoOf(A, 1))
    stage.pass(5_000)
    const told = () => stage.logged.filter((line) => line.startsWith(`replica ${REPLICA}`))
    expect(told()).toEqual([
      expect.stringMatching(
        /of mymaster: WRONGPASS [^;]*; no client reads there\. Give this node /,
      ),
    ])
    stage.nodeLogin = undefined
    stage.pass(10_000)
    expect(told().slice(1)).toEqual([`replica ${REPLICA} of mymaster: it answers`])
    expect(stage.proxy.groups[0]?.readableAt(stage.nowMs)).toHaveLength(1)
  })

  function reading(info: string) {
    const stage = new ProxyStage()
    stage.replicas.push(REPLICA)
    stage.infos.set(REPLICA, info)
    stage.pass(2_500)
    const client = stage.client('read')
    client.sends('GET a')
    return { stage, client }
  }

  test('leads to the master of a strict group, because its replicas answer no reads', () => {
    const { stage } = reading(`${infoOf(A, 1)}\r\nsync_replication:1`)
    expect(stage.server(A).takes()).toEqual(['GET a'])
  })

  test('leads to a replica that follows the confirmed master closely', () => {
    expect(reading(infoOf(A, 1)).stage.server(REPLICA).takes()).toEqual(['GET a'])
  })

  test.each([
    ['is behind', infoOf(A, 60)],
    ['follows another master', infoOf(LIE, 1)],
    ['is none', 'role:master'],
  ])('leads to the master if the only replica %s', (_, info) => {
    expect(reading(info).stage.server(A).takes()).toEqual(['GET a'])
  })

  test('outside of a NAT most Sentinels must say that the replica follows the confirmed master', () => {
    const readerWith = (master: string) => {
      const stage = new ProxyStage()
      stage.replicas.push(REPLICA)
      const [host = '', port = ''] = master.split(':')
      const inside = ['name', '192.168.0.3:6379', 'master-host', host, 'master-port', port]
      stage.translated.set(REPLICA, inside)
      stage.infos.set(REPLICA, infoOf('192.168.0.1:6379', 1))
      stage.pass(2_500)
      stage.client('read').sends('GET a')
      return stage
    }
    expect(readerWith(A).server(REPLICA).takes()).toEqual(['GET a'])
    expect(readerWith(LIE).server(A).takes()).toEqual(['GET a'])
  })

  test('a reader stays where it is, and leaves a replica that falls behind', () => {
    const { stage, client } = reading(infoOf(A, 1))
    stage.server(REPLICA).says('$1\r\n1')
    client.takes()
    stage.infos.set(REPLICA, infoOf(A, 60))
    stage.pass(3_000)
    client.sends('GET b')
    expect(stage.server(A).takes()).toEqual(['GET b'])
  })

  test('a subscriber leaves such a replica, too, although it says nothing more', () => {
    const { stage, client } = reading(infoOf(A, 1))
    stage.server(REPLICA).says('$1\r\n1')
    client.sends('SUBSCRIBE s')
    stage.server(REPLICA).says('*3\r\n$9\r\nsubscribe\r\n$1\r\ns\r\n:1')
    stage.infos.set(REPLICA, infoOf(A, 60))
    stage.pass(3_000)
    stage.server(REPLICA).says('*3\r\n$7\r\nmessage\r\n$1\r\ns\r\n$1\r\nm')
    expect(stage.server(A).takes()).toEqual(['SUBSCRIBE s'])
  })
})

describe('the PROXY protocol', () => {
  const V2 =
    '\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x0a\x01\x02\x03\x0a\x00\x00\x01\x04\xd2\x18\xeb'

  test.each([
    ['1', 'PROXY TCP4 10.1.2.3 10.0.0.1 1234 6379\r\n'],
    ['2', V2],
  ])('version %s is read byte by byte, and tells who the client is', (_, header) => {
    const stage = new ProxyStage({ sendProxy: 1 })
    const client = stage.client('write', true)
    for (const byte of header) client.sendsBytes(byte)
    client.sends('PING')
    expect(stage.server(A).raw).toMatch(/^PROXY TCP4 10\.1\.2\.3 10\.0\.0\.1 1234 \d+\r\n\*1/)
  })

  test('a client without a header is turned away where one is expected', () => {
    const client = new ProxyStage().client('write', true)
    client.sends('PING')
    expect([client.isClosed, client.got]).toEqual([true, ''])
  })

  test('a client that never finishes its header is turned away', () => {
    const stage = new ProxyStage()
    const client = stage.client('write', true)
    client.sendsBytes('PROX')
    stage.pass(6_000)
    expect(client.isClosed).toBe(true)
  })

  test('a header where none is expected is an error that says what to change', () => {
    const client = new ProxyStage().client()
    client.sendsBytes('PROXY TCP4 10.1.2.3 10.0.0.1 1234 6379\r\n')
    expect([client.takes(), client.isClosed]).toEqual([
      expect.stringContaining('set proxy-protocol'),
      true,
    ])
  })
})

test('other Sentinels and groups can be configured without cutting a client', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('PING')
  stage.server(A).says('+PONG')
  stage.names.set(S3, B)
  stage.proxy.reconfigured(stage.now, {
    ...DEFAULTS,
    sentinels: [{ host: '10.0.1.1', port: 26_379 }],
  })
  stage.settle()
  stage.pass(100)
  client.sends('INCR a')
  expect([client.isClosed, stage.server(A).takes()]).toEqual([false, ['PING', 'INCR a']])
})

describe('the log tells of a Sentinel', () => {
  const about = (stage: ProxyStage, sentinel: string): readonly string[] =>
    stage.logged.filter((line) => line.startsWith(`Sentinel ${sentinel}: `))
  const SAYS = `Sentinel ${S1}:`

  test('that it knows no such group, once until it does', () => {
    const stage = new ProxyStage()
    stage.instead = NULL_ARRAY
    stage.pass(5_000)
    expect(about(stage, S1)).toEqual([`${SAYS} it knows no group mymaster`])
    stage.instead = undefined
    stage.pass(5_000)
    expect(about(stage, S1).slice(1)).toEqual([`${SAYS} it knows the group mymaster`])
  })

  test('what it refuses, in its words', () => {
    const stage = new ProxyStage()
    stage.instead = error("ERR unknown command 'SENTINEL'")
    stage.pass(5_000)
    expect(about(stage, S1)).toEqual([`${SAYS} ERR unknown command 'SENTINEL'`])
  })

  test('that it refuses the login, once and with what is to be set', () => {
    const stage = new ProxyStage({ password: 'old' })
    expect(about(stage, S1)).toEqual([])
    stage.login = error('WRONGPASS invalid username-password pair or user is disabled.')
    stage.names.set(S1, undefined)
    stage.pass(5_000)
    const before = about(stage, S1).length
    stage.names.set(S1, A)
    stage.pass(5_000)
    expect(about(stage, S1).slice(before)).toEqual([
      `${SAYS} WRONGPASS invalid username-password pair or user is disabled.; it refuses the login of this proxy: make ` +
        'user and password of the proxy (proxy: {user, password} in its file, or --user and --pass) those of the Sentinel',
    ])
  })

  test('that it wants a password, once and with what is to be set', () => {
    const stage = new ProxyStage()
    stage.login = error('NOAUTH Authentication required.')
    stage.pass(5_000)
    expect(about(stage, S1)).toEqual([
      `${SAYS} NOAUTH Authentication required.; this Sentinel wants a password: set user and password of the proxy ` +
        '(proxy: {user, password} in its file, or --user and --pass)',
    ])
  })

  test('that it hangs up without an answer, as one does that speaks only TLS', () => {
    const stage = new ProxyStage()
    for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, undefined)
    stage.pass(5_000)
    stage.names.set(S1, A)
    stage.hangsUp = true
    stage.pass(5_000)
    expect(about(stage, S1).at(-1)).toBe(
      `${SAYS} ECONNRESET; it has not answered anything: if it speaks only TLS, let the proxy do so, too ` +
        '(tls: {replication: yes} in its file, or --tls)',
    )
  })

  test('but not that a proxy with TLS should use TLS', () => {
    const stage = new ProxyStage({ usesTls: true })
    for (const sentinel of [S1, S2, S3]) stage.names.set(sentinel, undefined)
    stage.pass(5_000)
    stage.names.set(S1, A)
    stage.hangsUp = true
    stage.pass(5_000)
    expect(about(stage, S1).at(-1)).toBe(`${SAYS} ECONNRESET`)
  })

  test('that it cannot be reached, and that it answers again', () => {
    const stage = new ProxyStage()
    stage.names.set(S1, undefined)
    stage.pass(20_000)
    const gone = about(stage, S1)
    expect([...new Set(gone)]).toEqual(gone)
    expect(gone.length).toBeGreaterThan(0)
    stage.names.set(S1, A)
    stage.pass(5_000)
    expect(about(stage, S1).slice(gone.length)).toEqual([`${SAYS} it answers`])
    expect(about(stage, S2)).toEqual([])
  })

  test('no more than five faults in a row, each a line of its own', () => {
    const stage = new ProxyStage()
    for (let at = 0; at < 20; at++) {
      stage.instead = error(`ERR ${at}\x1b[2J`)
      stage.pass(1_000)
    }
    const lines = about(stage, S1)
    expect(lines).toHaveLength(5)
    expect(lines[0]).toBe(`${SAYS} ERR 0\\x1b[2J`)
  })
})
