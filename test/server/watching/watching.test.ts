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
