/** What a client of the proxy sees when its master is lost, replaced, or hands over. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../src/resp/encode.ts'
import { A, B, ProxyStage } from '../support/proxy-stage.ts'

const READONLY = "-READONLY You can't write against a read only replica."

test('commands go on as they came, and their answers come back in order', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('SET a 1', 'GET a')
  expect(stage.server(A).takes()).toEqual(['SET a 1', 'GET a'])
  stage.server(A).says('+OK', '$1\r\n1')
  expect(client.takes()).toBe('+OK\r\n$1\r\n1\r\n')
})

test('an inline command goes on as words of a command', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sendsBytes('set a "b c"\r\n')
  expect(stage.server(A).raw).toBe(encodeCommand(['set', 'a', 'b c']))
})

describe('when the master is lost', () => {
  function lost(...commands: readonly string[]) {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends(...commands)
    stage.refused.add(A)
    stage.server(A).breaks()
    return { stage, client }
  }

  test('a write without an answer is answered with UNANSWERED and never sent again', () => {
    const { stage, client } = lost('INCR a')
    expect(client.takes()).toMatch(/^-UNANSWERED /)
    stage.switchTo(B)
    client.sends('INCR b')
    expect(stage.server(B).takes()).toEqual(['INCR b'])
  })

  test('a read without an answer is asked again, and what follows it is told behind it', () => {
    const { stage, client } = lost('GET a', 'INCR b', 'GET c')
    expect(client.takes()).toBe('')
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['GET a', 'GET c'])
    stage.server(B).says('$1\r\n7', '$1\r\n8')
    expect(client.takes()).toMatch(/^\$1\r\n7\r\n-UNANSWERED [^\r]*\r\n\$1\r\n8\r\n$/)
  })

  test('who waits in a BLPOP is closed, as by a server that dies', () => {
    const { client } = lost('BLPOP q 0')
    expect([client.takes(), client.isClosed]).toEqual(['', true])
  })

  test.each(['PUBLISH news hello', 'spublish news hello'])(
    'who has sent a message is closed: an error would end servers that look at no answer: %s',
    (command) => {
      const { client } = lost('GET a', command)
      expect([client.takes(), client.isClosed]).toEqual(['', true])
    },
  )

  test('a BLPOP that was queued before EXEC blocks nobody', () => {
    const { stage, client } = lost('MULTI', 'BLPOP q 0')
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['MULTI', 'BLPOP q 0'])
    expect(client.isClosed).toBe(false)
  })

  test('a command nobody knows is taken for a write', () => {
    expect(lost('FROBNICATE a').client.takes()).toMatch(/^-UNANSWERED /)
  })

  test('a new command waits for the next master, and its client is not read meanwhile', () => {
    const { stage, client } = lost('INCR a')
    client.takes()
    client.sends('INCR b')
    expect([client.takes(), client.isPaused]).toEqual(['', true])
    stage.switchTo(B)
    expect([stage.server(B).takes(), client.isPaused]).toEqual([['INCR b'], false])
  })

  test('a command that has waited for hold is refused by name, and the next ones at once', () => {
    const { stage, client } = lost('INCR a')
    client.takes()
    client.sends('INCR b')
    stage.pass(9_900)
    expect(client.takes()).toBe('')
    stage.pass(200)
    expect(client.takes()).toMatch(/^-NOMASTER [^\r]* 100\d\d ms[^\r]*\r\n$/)
    client.sends('INCR c')
    expect(client.takes()).toMatch(/^-NOMASTER /)
    stage.switchTo(B)
    client.sends('INCR d')
    expect(stage.server(B).takes()).toEqual(['INCR d'])
  })

  test('one that accepts connections while it dies is given a write only once it has answered there', () => {
    const stage = new ProxyStage()
    const other = stage.client()
    other.sends('INCR a')
    stage.server(A).breaks()
    const client = stage.client()
    client.sends('INCR b')
    expect(stage.server(A).takes()).toEqual(['PING'])
    stage.server(A).breaks()
    stage.pass(20)
    stage.server(A).says('-NOAUTH Authentication required.')
    expect([client.takes(), stage.server(A).takes()]).toEqual(['', ['PING', 'INCR b']])
    stage.server(A).says(':1')
    stage.pass(1_000)
    client.leaves()
    stage.client().sends('INCR c')
    expect(stage.server(A).takes()).toEqual(['INCR c'])
  })

  test('a client whose answer has been told in part is closed: it cannot be mended', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('GET a')
    stage.server(A).says(`$5000\r\n${'x'.repeat(1_000)}`)
    expect(client.takes()).toMatch(/^\$5000/)
    stage.server(A).breaks()
    expect(client.isClosed).toBe(true)
  })
})

test('behind a command that has waited for long, new ones wait unsent: they would be lost with it', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('INCR a')
  stage.pass(150)
  client.sends('INCR b')
  expect(stage.server(A).takes()).toEqual(['INCR a'])
  stage.pass(60_000)
  stage.server(A).says(':1')
  expect([client.takes(), stage.server(A).takes()]).toEqual([':1\r\n', ['INCR b']])
})

test('a write that was refused before MULTI is given to the next master outside of the transaction', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('INCR a', 'MULTI', 'INCR b')
  stage.server(A).says(READONLY, '+OK', '+QUEUED')
  stage.switchTo(B)
  const server = stage.server(B)
  expect(server.takes()).toEqual(['INCR a'])
  client.sends('EXEC')
  expect(server.takes()).toEqual([])
  server.says(':1')
  expect(server.takes()).toEqual(['MULTI', 'INCR b'])
  server.says('+OK', '+QUEUED')
  expect(server.takes()).toEqual(['EXEC'])
  server.says('*1\r\n:1')
  expect(client.takes()).toBe(':1\r\n+OK\r\n+QUEUED\r\n*1\r\n:1\r\n')
})

describe('a client that has closed its half', () => {
  function halfClosed(...commands: string[]) {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends(...commands)
    client.endsItsHalf()
    return { stage, client }
  }

  test('is told what it asked, and then closed', () => {
    const { stage, client } = halfClosed('INCR a', 'GET a')
    stage.server(A).says(':1')
    expect([client.takes(), client.isClosed]).toEqual([':1\r\n', false])
    stage.server(A).says('$1\r\n1')
    expect([client.takes(), client.isClosed]).toEqual(['$1\r\n1\r\n', true])
  })

  test('is closed at once with nothing asked, or with something that blocks', () => {
    expect(halfClosed().client.isClosed).toBe(true)
    const { stage, client } = halfClosed('BLPOP a 0')
    expect([client.isClosed, stage.connections(A)]).toEqual([true, 0])
  })

  test('is told in words that there is no master, and nothing is carried out later', () => {
    const stage = new ProxyStage()
    for (const sentinel of stage.names.keys()) stage.names.set(sentinel, undefined)
    stage.pass(3_000)
    const client = stage.client()
    client.sends('INCR a', 'GET a')
    client.endsItsHalf()
    expect(client.takes()).toMatch(
      /^-NOMASTER .* names a reachable master [^\n]*\n-NOMASTER [^\n]*\n$/,
    )
    expect([client.isClosed, stage.connections(A)]).toEqual([true, 0])
  })

  test('is not waited for longer than a moment', () => {
    const { stage, client } = halfClosed('INCR a')
    stage.pass(400)
    expect(client.isClosed).toBe(false)
    stage.pass(200)
    expect([client.isClosed, stage.connections(A)]).toEqual([true, 0])
  })
})

describe('when a server says that it is no master', () => {
  test('the write goes to the next one, because it was not carried out', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('INCR a', 'GET a', 'INCR a')
    stage.server(A).says(READONLY, '$1\r\n0', READONLY)
    expect([client.takes(), stage.connections(A)]).toEqual(['', 0])
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['INCR a', 'GET a', 'INCR a'])
    stage.server(B).says(':1', '$1\r\n1', ':2')
    expect(client.takes()).toBe(':1\r\n$1\r\n1\r\n:2\r\n')
  })

  test('the error is passed on once it has lasted for hold: it is no switch', () => {
    const stage = new ProxyStage({ holdMs: 1_000 })
    const client = stage.client()
    client.sends('INCR a')
    for (let round = 0; round < 100 && client.got === ''; round++) {
      stage.pass(50)
      if (stage.connections(A) > 0) stage.server(A).says(READONLY)
    }
    expect(client.takes()).toMatch(/^-(READONLY|NOMASTER) /)
  })

  test('on the read port it is an honest answer', () => {
    const stage = new ProxyStage()
    const client = stage.client('read')
    client.sends('INCR a')
    stage.server(A).says(READONLY)
    expect(client.takes()).toBe(`${READONLY}\r\n`)
  })

  test('a blocked command that is sent away waits at the next master', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('BLPOP q 0')
    stage
      .server(A)
      .says(
        '-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
      )
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['BLPOP q 0'])
  })
})

describe('a coordinated switch', () => {
  test('holds new commands from the first word of a Sentinel on, and lets what is on its way finish', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('INCR a')
    stage.publish('+try-failover', 'master mymaster 10.0.0.1 6379')
    client.sends('INCR b')
    expect(stage.server(A).takes()).toEqual(['INCR a'])
    stage.server(A).says(':1')
    expect(client.takes()).toBe(':1\r\n')
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['INCR b'])
  })

  test('that comes to nothing holds them for a second at most, and is not believed again at once', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('PING')
    stage.server(A).says('+PONG')
    stage.publish('+try-failover', 'master mymaster 10.0.0.1 6379')
    client.sends('INCR b')
    stage.pass(1_010)
    expect(stage.server(A).takes()).toEqual(['PING', 'INCR b'])
    stage.publish('+try-failover', 'master mymaster 10.0.0.1 6379')
    client.sends('INCR c')
    expect(stage.server(A).takes()).toEqual(['INCR c'])
  })

  test('that is called off lets them go on', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('PING')
    stage.server(A).says('+PONG')
    stage.publish('+try-failover', 'master mymaster 10.0.0.1 6379')
    client.sends('INCR b')
    stage.publish('-failover-abort-not-elected', 'master mymaster 10.0.0.1 6379')
    expect(stage.server(A).takes()).toEqual(['PING', 'INCR b'])
  })

  test('waits for the answers of the old master, sends it nothing, and cuts it after farewell', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('INCR a')
    stage.switchTo(B)
    client.sends('INCR b')
    expect(stage.server(A).takes()).toEqual(['INCR a'])
    stage.pass(50)
    expect(stage.connections(A)).toBe(1)
    stage.pass(60)
    expect(stage.connections(A)).toBe(0)
    expect(client.takes()).toMatch(/^-UNANSWERED /)
    expect(stage.server(B).takes()).toEqual(['INCR b'])
  })

  test('does not keep the connection of a client that asks nothing', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('PING')
    stage.server(A).says('+PONG')
    stage.switchTo(B)
    expect([stage.connections(A), stage.connections(B), client.isClosed]).toEqual([0, 0, false])
  })
})

describe('what a client has said of itself is said to the next master', () => {
  test('user, protocol, name, database and library', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('HELLO 3 AUTH ann secret SETNAME app', 'SELECT 7', 'CLIENT SETINFO LIB-NAME x')
    stage.server(A).says('%1\r\n+proto\r\n:3', '+OK', '+OK')
    client.takes()
    stage.switchTo(B)
    client.sends('GET a')
    expect(stage.server(B).takes()).toEqual([
      ...['AUTH ann secret', 'HELLO 3', 'CLIENT SETNAME app'],
      ...['CLIENT SETINFO LIB-NAME x', 'SELECT 7'],
    ])
    stage.server(B).says('+OK', '%1\r\n+proto\r\n:3', '+OK', '+OK', '+OK')
    expect(stage.server(B).takes()).toEqual(['GET a'])
    stage.server(B).says('_')
    expect(client.takes()).toBe('_\r\n')
  })

  test('what a server refused is not', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('SELECT 99')
    stage.server(A).says('-ERR DB index is out of range')
    stage.switchTo(B)
    client.sends('GET a')
    expect(stage.server(B).takes()).toEqual(['GET a'])
  })

  test('RESET makes it forgotten', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('SELECT 7', 'RESET')
    stage.server(A).says('+OK', '+RESET')
    stage.switchTo(B)
    client.sends('GET a')
    expect(stage.server(B).takes()).toEqual(['GET a'])
  })

  test.each([2, 3])('subscriptions, with nothing said twice, in RESP%i', (protocol) => {
    const stage = new ProxyStage()
    const client = stage.client()
    const type = protocol === 3 ? '>' : '*'
    const confirm = (word: string, channel: string, count: number) =>
      `${type}3\r\n$${word.length}\r\n${word}\r\n$1\r\n${channel}\r\n:${count}`
    const message = `${type}3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi`
    if (protocol === 3) {
      client.sends('HELLO 3')
      stage.server(A).says('%1\r\n+proto\r\n:3')
    }
    client.sends('SUBSCRIBE a b', 'UNSUBSCRIBE b')
    stage.server(A).says(confirm('subscribe', 'a', 1), message, confirm('subscribe', 'b', 2))
    stage.server(A).says(confirm('unsubscribe', 'b', 1))
    client.takes()
    stage.switchTo(B)
    if (protocol === 3) stage.server(B).says('%1\r\n+proto\r\n:3')
    expect(stage.server(B).takes()).toContain('SUBSCRIBE a')
    stage.server(B).says(confirm('subscribe', 'a', 1), message)
    expect(client.takes()).toBe(`${message}\r\n`)
  })

  test('a subscription that was confirmed in part goes on with the rest', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('SUBSCRIBE a b')
    stage.server(A).says('*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1')
    client.takes()
    stage.server(A).breaks()
    stage.switchTo(B)
    stage.server(B).says('*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1')
    expect(stage.server(B).takes()).toEqual(['SUBSCRIBE a', 'SUBSCRIBE b'])
    expect(client.takes()).toBe('')
  })

  test('a client that tracks keys is closed instead: nothing would invalidate them', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('CLIENT TRACKING ON')
    stage.server(A).says('+OK')
    stage.switchTo(B)
    expect(client.isClosed).toBe(true)
  })

  test('a client that the next master does not let in learns it in words', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('AUTH secret')
    stage.server(A).says('+OK')
    client.takes()
    stage.switchTo(B)
    client.sends('GET a')
    client.sends('GET b')
    stage.server(B).says('-WRONGPASS invalid username-password pair or user is disabled.')
    expect(client.isClosed).toBe(true)
  })
})

describe('a transaction', () => {
  test('that has not come to EXEC is queued again, unheard', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('MULTI', 'INCR a')
    stage.server(A).says('+OK', '+QUEUED')
    client.takes()
    stage.server(A).breaks()
    stage.switchTo(B)
    client.sends('INCR b', 'EXEC')
    expect(stage.server(B).takes()).toEqual(['MULTI', 'INCR a'])
    stage.server(B).says('+OK', '+QUEUED')
    expect(stage.server(B).takes()).toEqual(['INCR b', 'EXEC'])
    stage.server(B).says('+QUEUED', '*2\r\n:1\r\n:1')
    expect(client.takes()).toBe('+QUEUED\r\n*2\r\n:1\r\n:1\r\n')
  })

  test('whose EXEC has no answer is UNANSWERED, whatever came before it', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('MULTI', 'INCR a', 'EXEC')
    stage.server(A).breaks()
    expect(client.takes()).toMatch(/^\+OK\r\n\+QUEUED\r\n-UNANSWERED [^\r]*\r\n$/)
    stage.switchTo(B)
    expect(stage.connections(B)).toBe(0)
  })

  test('that a replica refused is given whole to the next master', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('MULTI', 'INCR a', 'EXEC')
    stage
      .server(A)
      .says('+OK', READONLY, '-EXECABORT Transaction discarded because of previous errors.')
    expect(client.takes()).toBe('+OK\r\n+QUEUED\r\n')
    stage.switchTo(B)
    expect(stage.server(B).takes()).toEqual(['MULTI', 'INCR a', 'EXEC'])
    stage.server(B).says('+OK', '+QUEUED', '*1\r\n:1')
    expect(client.takes()).toBe('*1\r\n:1\r\n')
  })

  test.each(['MONITOR', 'CLIENT REPLY OFF'])(
    'in which the proxy refuses %s is not carried out, by the next master either',
    (refused) => {
      const stage = new ProxyStage()
      const client = stage.client()
      client.sends('MULTI', 'INCR a', refused)
      expect(stage.server(A).takes()).toEqual(['MULTI', 'INCR a', 'GET'])
      stage.server(A).says('+OK', '+QUEUED', '-ERR wrong number of arguments')
      expect(client.takes()).toMatch(/^\+OK\r\n\+QUEUED\r\n-ERR [^\r]* is not offered [^\r]*\r\n$/)
      stage.server(A).breaks()
      stage.switchTo(B)
      client.sends('EXEC')
      expect(stage.server(B).takes()).toEqual(['MULTI', 'INCR a', 'GET'])
      stage.server(B).says('+OK', '+QUEUED', '-ERR wrong number of arguments')
      expect(stage.server(B).takes()).toEqual(['EXEC'])
      stage.server(B).says('-EXECABORT Transaction discarded because of previous errors.')
      expect(client.takes()).toMatch(/^-EXECABORT [^\r]*\r\n$/)
    },
  )

  test('in which the proxy refuses a command says so, also where EXEC had been given', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('MULTI', 'MONITOR', 'INCR a', 'EXEC')
    stage.server(A).breaks()
    expect(client.takes()).toMatch(
      /^\+OK\r\n-ERR [^\r]* is not offered [^\r]*\r\n\+QUEUED\r\n-UNANSWERED /,
    )
  })

  test('that watched keys of a lost master does nothing, and EXEC says so as a server does', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('WATCH a', 'MULTI', 'INCR a')
    stage.server(A).says('+OK', '+OK', '+QUEUED')
    client.takes()
    stage.server(A).breaks()
    stage.switchTo(B)
    client.sends('EXEC')
    expect(client.takes()).toBe('*-1\r\n')
  })

  test('that begins after the watched master was lost does nothing either', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('WATCH a')
    stage.server(A).says('+OK')
    client.takes()
    stage.server(A).breaks()
    stage.switchTo(B)
    client.sends('MULTI', 'INCR a', 'EXEC')
    expect(stage.server(B).takes()).toEqual(['MULTI', 'INCR a', 'DISCARD'])
    stage.server(B).says('+OK', '+QUEUED', '+OK')
    expect(client.takes()).toBe('+OK\r\n+QUEUED\r\n*-1\r\n')
  })
})

describe('an EXEC that the proxy answers itself ends the watch, and the next transaction is carried out', () => {
  const NEXT = ['MULTI', 'INCR b', 'EXEC']

  function watching() {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('WATCH a', 'MULTI', 'INCR a')
    stage.server(A).says('+OK', '+OK', '+QUEUED')
    client.takes()
    stage.refused.add(A)
    stage.server(A).breaks()
    return { stage, client }
  }

  test('after it was refused for want of a master', () => {
    const { stage, client } = watching()
    client.sends('EXEC')
    stage.pass(11_000)
    expect(client.takes()).toMatch(/^-EXECABORT /)
    stage.switchTo(B)
    client.sends(...NEXT)
    expect(stage.server(B).takes()).toEqual(NEXT)
  })

  test('after it did nothing because the watched master was lost, and the next master is lost, too', () => {
    const { stage, client } = watching()
    stage.switchTo(B)
    client.sends('EXEC')
    expect(client.takes()).toBe('*-1\r\n')
    client.sends('GET c')
    stage.server(B).says('$1\r\n1')
    stage.server(B).breaks()
    stage.pass(100)
    client.sends(...NEXT)
    stage.server(B).says('+PONG')
    expect(stage.server(B).takes().slice(-3)).toEqual(NEXT)
  })
})

describe('a transaction that is refused because no Sentinel confirms its master', () => {
  function refused(...commands: readonly string[]) {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('MULTI', 'INCR a')
    stage.server(A).says('+OK', '+QUEUED')
    client.takes()
    const sentinels = [...stage.names.keys()]
    for (const one of sentinels) stage.names.set(one, undefined)
    stage.pass(20_000)
    client.sends(...commands)
    stage.pass(11_000)
    const told = client.takes()
    for (const one of sentinels) stage.names.set(one, A)
    stage.pass(20_000)
    return { stage, client, told }
  }

  test.each(['EXEC', 'DISCARD'])('at %s is not left queued at the server', (command) => {
    const { stage, client, told } = refused(command)
    expect(told).toMatch(/^(-EXECABORT [^\r]* no master\. [^\r]*|\+OK)\r\n$/)
    client.sends('INCR b')
    expect(stage.server(A).takes()).toEqual(['INCR b'])
  })

  test('at a command before EXEC says at EXEC that there was no master, and is not carried out', () => {
    const { stage, client, told } = refused('INCR b')
    expect(told).toMatch(/^-NOMASTER /)
    client.sends('EXEC', 'INCR c')
    expect(client.takes()).toMatch(/^-EXECABORT [^\r]* no master\. /)
    expect(stage.server(A).takes()).toEqual(['INCR c'])
  })
})

test.each([
  ['before its master was lost', ['WATCH a', 'UNWATCH'], ['MULTI', 'INCR a', 'EXEC']],
  ['after that', ['WATCH a'], ['UNWATCH', 'MULTI', 'INCR a', 'EXEC']],
])('a transaction whose client has given UNWATCH, %s, is carried out', (_, before, after) => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends(...before)
  stage.server(A).says(...before.map(() => '+OK'))
  client.takes()
  stage.server(A).breaks()
  stage.switchTo(B)
  client.sends(...after)
  expect(stage.server(B).takes()).toEqual(after)
})

describe('what the proxy answers itself', () => {
  test.each([
    'MONITOR',
    'SYNC',
    'PSYNC ? -1',
    'REPLCONF capa eof',
    'CLIENT REPLY OFF',
    'client maint_notifications on',
  ])('%s is refused by name', (command) => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends(command)
    expect(client.takes()).toMatch(/^-ERR .* is not offered through the proxy/)
  })

  test('PROXY INFO says which master is confirmed, and by how many', () => {
    const client = new ProxyStage().client()
    client.sends('PROXY INFO')
    expect(client.takes()).toContain(`group_mymaster:master=${A},confirmed_by=3,sentinels=3`)
  })

  test.each(['PROXY INFO', 'proxy info\r\n'])(
    '%j is answered at once when no master is confirmed',
    (command) => {
      const stage = new ProxyStage()
      for (const sentinel of stage.names.keys()) stage.names.set(sentinel, undefined)
      stage.pass(2_000)
      const client = stage.client()
      if (command.includes('\n')) client.sendsBytes(command)
      else client.sends(command)
      expect(client.takes()).toContain('group_mymaster:master=none,')
      client.sends('GET a', 'QUIT')
      expect([client.takes(), client.isClosed]).toEqual(['', false])
      const other = stage.client()
      other.sends('QUIT')
      expect([other.takes(), other.isClosed]).toEqual(['+OK\r\n', true])
    },
  )

  test('the rest of a long command that it answers goes to no server, which would take it for commands', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('PING')
    stage.server(A).says('+PONG')
    client.takes()
    const before = stage.server(A).raw
    client.sendsBytes(`*2\r\n$5\r\nPROXY\r\n$70000\r\n${'x'.repeat(69_991)}`)
    client.sendsBytes('\r\nMONITOR\r\n')
    expect(client.takes()).toMatch(/^-ERR unknown PROXY subcommand/)
    expect(stage.server(A).raw).toBe(before)
    client.sends('GET a')
    expect(stage.server(A).takes()).toContain('GET a')
  })

  test('QUIT comes after the answers before it', () => {
    const stage = new ProxyStage()
    const client = stage.client()
    client.sends('INCR a', 'QUIT')
    expect(client.isClosed).toBe(false)
    stage.server(A).says(':1')
    expect([client.takes(), client.isClosed]).toEqual([':1\r\n+OK\r\n', true])
  })

  test.each(['POST / HTTP/1.1', 'Host: localhost:6400'])(
    '%s ends the connection: a browser that was led here can write nothing',
    (line) => {
      const stage = new ProxyStage()
      const client = stage.client()
      client.sendsBytes(`${line}\r\nSET smuggled 1\r\n`)
      expect([client.takes(), client.isClosed]).toEqual(['', true])
      expect(stage.connections(A)).toBe(0)
    },
  )

  test('bytes that are no protocol are answered as a server does, and closed', () => {
    const client = new ProxyStage().client()
    client.sendsBytes('*1\r\nhello\r\n')
    expect(client.takes()).toBe("-ERR Protocol error: expected '$', got 'h'\r\n")
    expect(client.isClosed).toBe(true)
  })
})

test('bytes that are no protocol are answered behind what was asked before them', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sendsBytes(`${encodeCommand(['INCR', 'a'])}*1\r\nhello\r\n`)
  expect([client.takes(), client.isClosed]).toEqual(['', false])
  stage.server(A).says(':1')
  expect(client.takes()).toBe(":1\r\n-ERR Protocol error: expected '$', got 'h'\r\n")
  expect(client.isClosed).toBe(true)
})

test('bytes that are no protocol in the middle of a long command end the connection at once', () => {
  const client = new ProxyStage().client()
  client.sendsBytes(`*3\r\n$3\r\nSET\r\n$70000\r\n${'x'.repeat(70_000)}`)
  client.sendsBytes('\r\nhello\r\n')
  expect([client.takes(), client.isClosed]).toEqual(['', true])
})

test('a long value is passed on as it comes, and its rest goes nowhere once its master is lost', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('PING')
  stage.server(A).says('+PONG')
  client.takes()
  client.sendsBytes(`*3\r\n$3\r\nSET\r\n$1\r\na\r\n$300000\r\n${'x'.repeat(100_000)}`)
  expect(stage.server(A).raw.length).toBeGreaterThan(100_000)
  stage.server(A).breaks()
  expect(client.takes()).toMatch(/^-UNANSWERED /)
  stage.switchTo(B)
  client.sendsBytes(`${'x'.repeat(200_000)}\r\n${encodeCommand(['GET', 'b'])}`)
  expect(stage.server(B).takes()).toEqual(['GET b'])
})

test('what is subscribed behind RESET in one piece is known to be so: what follows gets its own answers', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('RESET', 'SUBSCRIBE a b')
  stage.server(A).says('+RESET', confirmation('a', 1), confirmation('b', 2))
  client.takes()
  client.sends('UNSUBSCRIBE', 'PING')
  const left = ['a', 'b'].map((channel, at) => {
    return confirmation(channel, 1 - at).replace('$9\r\nsub', '$11\r\nunsub')
  })
  stage.server(A).says(...left, '+PONG')
  expect(client.takes()).toBe([...left, '+PONG', ''].join('\r\n'))
})

test('thousands of channels in one SUBSCRIBE, which comes in pieces, are all confirmed, heard and carried over', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  const channels = Array.from({ length: 4_000 }, (_, at) => `a:channel:with:a:long:name:${at}`)
  const bytes = encodeCommand(['SUBSCRIBE', ...channels])
  client.sendsBytes(bytes.slice(0, 66_000))
  client.sendsBytes(bytes.slice(66_000))
  expect(stage.server(A).raw).toBe(bytes)
  for (const [at, channel] of channels.entries()) {
    stage.server(A).says(confirmation(channel, at + 1))
  }
  const message = '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi'
  stage.server(A).says(message)
  const told = client.takes()
  expect(told.split('$9\r\nsubscribe\r\n')).toHaveLength(4_001)
  expect(told.endsWith(`${message}\r\n`)).toBe(true)
  stage.server(A).breaks()
  stage.switchTo(B)
  expect(stage.server(B).raw).toBe(bytes)
})

test('a SUBSCRIBE beyond all measure is refused in words', () => {
  const client = new ProxyStage().client()
  const bytes = encodeCommand([
    'SUBSCRIBE',
    ...Array.from({ length: 20 }, () => 'c'.repeat(60_000)),
  ])
  client.sendsBytes(bytes.slice(0, -10))
  expect(client.takes()).toMatch(/^-ERR Protocol error: more than 1 MiB in a command/)
  expect(client.isClosed).toBe(true)
})

function confirmation(channel: string, count: number): string {
  return `*3\r\n$9\r\nsubscribe\r\n$${channel.length}\r\n${channel}\r\n:${count}`
}

test('a client that does not read its answers is not read either, nor is its server', () => {
  const stage = new ProxyStage()
  const client = stage.client()
  client.sends('GET a')
  stage.queued.set(client.id, 2 * 1024 * 1024)
  stage.server(A).says('$1\r\n1')
  expect([client.isPaused, stage.paused.size]).toEqual([true, 2])
  stage.queued.delete(client.id)
  stage.proxy.drained(stage.now, client.id)
  expect([client.isPaused, stage.paused.size]).toEqual([false, 0])
})

test('SIGTERM lets a client finish, takes no other, and closes those that have nothing under way', () => {
  const stage = new ProxyStage()
  const [idle, busy] = [stage.client(), stage.client()]
  busy.sends('INCR a')
  stage.proxy.stopRequested(stage.now)
  expect([idle.isClosed, busy.isClosed, stage.client().isClosed]).toEqual([true, false, true])
  stage.server(A).says(':1')
  stage.pass(20)
  expect([busy.takes(), busy.isClosed, stage.exited]).toEqual([':1\r\n', true, 0])
})
