import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

function withMonitor(directives: Record<string, string> = {}) {
  const harness = new NodeHarness(directives)
  const [monitor, client] = [harness.client(), harness.client()]
  monitor.say('MONITOR')
  return { harness, monitor, client }
}

describe('MONITOR', () => {
  test('shows no password', () => {
    const { monitor, client } = withMonitor()
    client.say('AUTH hunter2')
    client.say('HELLO 3 AUTH bob hunter2 SETNAME me')
    client.say('CONFIG SET requirepass hunter2')
    const seen = monitor.take()
    expect(seen).toContain('"AUTH" "(redacted)"')
    expect(seen).toContain('"HELLO" "3" "AUTH" "(redacted)" "(redacted)" "SETNAME" "me"')
    expect(seen).not.toContain('hunter2')
  })

  test('shows what the master sends to a replica', () => {
    const { harness, monitor } = withMonitor()
    harness.node.services.streamTarget.apply(['SET', 'k', 'v'])
    harness.client().say('PING')
    expect(monitor.take()).toContain('"SET" "k" "v"')
  })

  test('is over when the client is gone or begins anew', () => {
    const { harness, monitor, client } = withMonitor()
    monitor.drop()
    expect(client.say('PING')).toBe('+PONG\r\n')
    expect(harness.node.services.monitors.isOn).toBe(false)
    client.say('MONITOR')
    client.say('RESET')
    expect(harness.node.services.monitors.isOn).toBe(false)
  })

  test('counts as an ordinary client that is killed as one', () => {
    const { monitor, client } = withMonitor()
    expect(client.say('CLIENT LIST')).toMatch(/flags=O /)
    expect(client.say('CLIENT KILL TYPE normal')).toBe(':1\r\n')
    expect(monitor.isClosed).toBe(true)
  })
})

describe('SLOWLOG', () => {
  test('keeps long commands shortened, and no password', () => {
    const { client } = withMonitor({ 'slowlog-log-slower-than': '0' })
    client.say(`SET k ${'x'.repeat(200)}`)
    client.say(`DEL ${Array.from({ length: 40 }, (_, at) => `k${at}`).join(' ')}`)
    client.say('CONFIG SET masterauth hunter2')
    const shown = client.say('SLOWLOG GET 3')
    expect(shown).toContain('... (72 more bytes)')
    expect(shown).toContain('... (10 more arguments)')
    expect(shown).toContain('(redacted)')
    expect(shown).not.toContain('hunter2')
  })

  test('is off below zero, and holds no more than it may', () => {
    const { client } = withMonitor({ 'slowlog-log-slower-than': '-1' })
    client.say('PING')
    expect(client.say('SLOWLOG LEN')).toBe(':0\r\n')
    client.say('CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 3')
    for (let at = 0; at < 10; at++) client.say('PING')
    expect(client.say('SLOWLOG LEN')).toBe(':3\r\n')
  })
})

describe('COMMANDLOG', () => {
  /** Kinds, and how many commands each holds. */
  function lengths(client: { say: (words: string) => string }) {
    const kinds = ['slow', 'large-request', 'large-reply']
    return kinds.map((kind) => client.say(`COMMANDLOG LEN ${kind}`).trim())
  }

  test('keeps requests by their size on the wire, and those that a transaction queues', () => {
    const { client } = withMonitor({ 'commandlog-request-larger-than': '60' })
    // *3 $3 SET $1 k $33: 27 bytes beside the value, with the ends of lines.
    client.say(`SET k ${'x'.repeat(32)}`)
    expect(lengths(client)).toEqual([':0', ':0', ':0'])
    client.say(`SET k ${'x'.repeat(33)}`)
    expect(client.say('COMMANDLOG GET -1 large-request')).toMatch(
      /^\*1\r\n\*6\r\n:0\r\n:1700000000\r\n:60\r\n\*3\r\n\$3\r\nSET\r\n/,
    )
    client.say('MULTI')
    expect(client.say(`APPEND k ${'x'.repeat(60)}`)).toBe('+QUEUED\r\n')
    client.say('DISCARD')
    expect(client.say('COMMANDLOG GET 1 large-request')).toContain('APPEND')
  })

  test('keeps no request that is refused, and hides what is secret', () => {
    const { client } = withMonitor({ 'commandlog-request-larger-than': '60' })
    expect(client.say(`NONSENSE ${'x'.repeat(60)}`)).toMatch(/^-ERR unknown command/)
    expect(lengths(client)).toEqual([':0', ':0', ':0'])
    client.say(`CONFIG SET masterauth ${'hunter2'.repeat(10)}`)
    expect(client.say('COMMANDLOG GET -1 large-request')).toContain('(redacted)')
  })

  test('keeps commands by the size of their replies: short, long, in a transaction, after a wait', () => {
    const { harness, client } = withMonitor({ 'commandlog-reply-larger-than': '100' })
    client.say(`SET k ${'x'.repeat(92)}`)
    client.say('GET k')
    expect(lengths(client)[2]).toBe(':0')
    client.say('APPEND k x')
    client.say('GET k')
    expect(client.say('COMMANDLOG GET 1 large-reply')).toContain(':100\r\n*2\r\n$3\r\nGET\r\n')
    client.say('COMMANDLOG RESET large-reply')
    client.say(`SETRANGE long 1999999 x`)
    client.say('GET long')
    harness.advance(1_000)
    expect(client.take().length).toBeGreaterThan(0)
    expect(client.say('COMMANDLOG GET 1 large-reply')).toContain(':2000012\r\n*2\r\n$3\r\nGET')
    client.say('COMMANDLOG RESET large-reply')
    client.say('MULTI')
    client.say('PING')
    client.say('GET k')
    client.say('EXEC')
    expect(client.say('COMMANDLOG GET -1 large-reply')).toMatch(/^\*1\r\n.*GET/s)
    const waiting = harness.client()
    waiting.say('BLPOP list 0')
    client.say(`RPUSH list ${'x'.repeat(100)}`)
    expect(client.say('COMMANDLOG GET 1 large-reply')).toContain('BLPOP')
  })

  test('is off below zero, holds no more than it may, and forgets one kind alone', () => {
    const { client } = withMonitor({
      'commandlog-request-larger-than': '0',
      'commandlog-large-request-max-len': '2',
      'commandlog-reply-larger-than': '0',
    })
    for (let at = 0; at < 5; at++) client.say('PING')
    // The answer to MONITOR is the sixth.
    client.say(
      'CONFIG SET commandlog-request-larger-than -1 commandlog-reply-larger-than -1 slowlog-log-slower-than -1',
    )
    expect(lengths(client)).toEqual([':0', ':2', ':6'])
    expect(client.say('COMMANDLOG RESET large-reply')).toBe('+OK\r\n')
    expect(lengths(client)).toEqual([':0', ':2', ':0'])
  })

  test('of a kind that it does not know says which there are', () => {
    const { client } = withMonitor()
    const kinds = '-ERR type should be one of the following: slow, large-request, large-reply\r\n'
    expect(client.say('COMMANDLOG LEN big')).toBe(kinds)
    expect(client.say('COMMANDLOG RESET big')).toBe(kinds)
    expect(client.say('COMMANDLOG GET 1 big')).toBe(kinds)
    expect(client.say('COMMANDLOG GET -2 slow')).toBe(
      '-ERR count should be greater than or equal to -1\r\n',
    )
  })
})

describe('LATENCY', () => {
  test('remembers what took longer than the threshold, one sample a second', () => {
    const { harness, client } = withMonitor({ 'latency-monitor-threshold': '5' })
    const { latency } = harness.node.services.times
    latency.note('command', 4999, harness.wallMs)
    latency.note('command', 7000, harness.wallMs)
    latency.note('command', 9000, harness.wallMs)
    latency.note('command', 6000, harness.wallMs + 1000)
    expect(client.say('LATENCY HISTORY command')).toBe(
      '*2\r\n*2\r\n:1700000000\r\n:9\r\n*2\r\n:1700000001\r\n:6\r\n',
    )
    expect(client.say('LATENCY LATEST')).toBe(
      '*1\r\n*4\r\n$7\r\ncommand\r\n:1700000001\r\n:6\r\n:9\r\n',
    )
    expect(client.say('LATENCY DOCTOR')).toContain('2 samples, 8 ms on average, 9 ms at most')
    expect(client.say('LATENCY GRAPH command')).toContain('command - high 9 ms, low 6 ms')
    expect(client.say('LATENCY RESET')).toBe(':1\r\n')
    expect(client.say('LATENCY LATEST')).toBe('*0\r\n')
  })

  test('says how to begin when nothing is watched', () => {
    const { client } = withMonitor()
    expect(client.say('LATENCY DOCTOR')).toContain('CONFIG SET latency-monitor-threshold')
  })

  test('INFO tells the percentiles of each command', () => {
    const { client } = withMonitor({ 'latency-tracking-info-percentiles': '50 99.9' })
    client.say('GET k')
    expect(client.say('INFO latencystats')).toMatch(
      /latency_percentiles_usec_get:p50=0\.001,p99\.9=0\.001/,
    )
    client.say('CONFIG SET latency-tracking no')
    client.say('CONFIG RESETSTAT')
    client.say('GET k')
    expect(client.say('INFO latencystats')).not.toContain('usec_get')
  })
})
