import { expect, test } from 'vitest'
import { PEERS, REPLICAS, START, TestSentinel } from '../../support/sentinel-builder.ts'

function sectionsOf(text: string): readonly string[] {
  return [...text.matchAll(/^# (\w+)\r$/gm)].map(([, title]) => title ?? '')
}

test.each(['INFO', 'INFO all', 'INFO default', 'info EVERYTHING sentinel'])(
  '%s gives all sections in the same order',
  (line) => {
    const text = new TestSentinel().connect().ask(line)
    expect(sectionsOf(text)).toEqual(['Server', 'Clients', 'Stats', 'CPU', 'Sentinel'])
  },
)

test('sections are given in our order, and unknown ones are passed over', () => {
  const client = new TestSentinel().connect()
  expect(sectionsOf(client.ask('INFO sentinel keyspace SERVER'))).toEqual(['Server', 'Sentinel'])
  expect(client.ask('INFO keyspace')).toBe('$0\r\n\r\n')
})

test('a blank line parts the sections, and INFO is a plain bulk string in RESP3 too', () => {
  const client = new TestSentinel().connect()
  client.ask('HELLO 3')
  expect(client.ask('INFO clients stats')).toMatch(
    /^\$\d+\r\n# Clients\r\n(\w+:\S+\r\n)+\r\n# Stats\r\n(\w+:\S+\r\n)+\r\n$/,
  )
})

test('the Sentinel section tells how each group is', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS, peers: PEERS })
  const client = sentinel.connect()
  client.ask('SENTINEL MONITOR other 10.0.0.9 6379 1')
  const { master } = sentinel.group
  const text =
    '# Sentinel\r\nsentinel_masters:2\r\nsentinel_tilt:0\r\nsentinel_tilt_since_seconds:-1\r\n' +
    'sentinel_total_tilt:0\r\nsentinel_running_scripts:0\r\nsentinel_scripts_queue_length:0\r\n' +
    'sentinel_simulate_failure_flags:0\r\n' +
    'master0:name=mymaster,status=STATUS,address=10.0.0.1:6379,slaves=2,sentinels=3\r\n' +
    'master1:name=other,status=ok,address=10.0.0.9:6379,slaves=0,sentinels=1\r\n'
  const expected = (status: string) => text.replace('STATUS', status)
  expect(client.ask('INFO sentinel')).toContain(expected('ok'))
  master.sdownSinceMs = START.monoMs
  expect(client.ask('INFO sentinel')).toContain(expected('sdown'))
  sentinel.group.odownSinceMs = START.monoMs
  expect(client.ask('INFO sentinel')).toContain(expected('odown'))
})

test('TILT shows with its age in seconds', () => {
  const sentinel = new TestSentinel()
  sentinel.state.tilt.sinceMs = START.monoMs
  sentinel.state.tilt.total = 4
  sentinel.advance(7900)
  expect(sentinel.connect().ask('INFO sentinel')).toContain(
    'sentinel_tilt:1\r\nsentinel_tilt_since_seconds:7\r\nsentinel_total_tilt:4\r\n',
  )
})

test('connections and commands are counted, refused ones apart', () => {
  const sentinel = new TestSentinel({ maxClients: 1 })
  const client = sentinel.connect()
  sentinel.connect()
  client.send('PING\r\nNOPE\r\nPING a b c d\r\nHELLO 3\r\nSUBSCRIBE a b\r\n')
  sentinel.advance(90_000_000)
  const text = client.ask('INFO')
  for (const line of [
    'connected_clients:1',
    'total_connections_received:2',
    'rejected_connections:1',
    'total_commands_processed:5',
    'pubsub_channels:2',
    'uptime_in_seconds:90000',
    'uptime_in_days:1',
  ]) {
    expect(text).toContain(`\r\n${line}\r\n`)
  }
})

test('the process shows as it was described, and its processor time as it is now', () => {
  let seconds = 1.5
  const sentinel = new TestSentinel({
    process: {
      pid: 4711,
      runId: 'd'.repeat(40),
      version: '1.2.3',
      os: 'Linux 6 x86_64',
      archBits: 64,
      executable: '/usr/bin/sentinel',
      configFile: '/etc/sentinel.conf',
      supervised: 'systemd',
      cpuUsage: () => ({ systemSeconds: 0.25, userSeconds: seconds }),
    },
  })
  const client = sentinel.connect()
  const server = client.ask('INFO server')
  for (const line of [
    'os:Linux 6 x86_64',
    'process_id:4711',
    // Clones have one id, and two of these.
    `run_id:${'d'.repeat(40)}`,
    'process_supervised:systemd',
    'executable:/usr/bin/sentinel',
    'config_file:/etc/sentinel.conf',
  ]) {
    expect(server).toContain(`\r\n${line}\r\n`)
  }
  expect(client.ask('INFO vedette')).toContain('\r\nvedette_version:1.2.3\r\n')
  expect(client.ask('INFO cpu')).toContain('used_cpu_sys:0.250000\r\nused_cpu_user:1.500000\r\n')
  seconds = 2
  expect(client.ask('INFO cpu')).toContain('used_cpu_user:2.000000\r\n')
})

test('bytes, reads and error replies of all clients are counted', () => {
  const sentinel = new TestSentinel()
  sentinel.connect().send('PING\r\nNOPE\r\n')
  const text = sentinel.connect().ask('INFO stats')
  for (const line of [
    'total_net_input_bytes:24',
    'total_reads_processed:2',
    'total_error_replies:1',
    'expired_stale_perc:0.00',
  ]) {
    expect(text).toContain(`\r\n${line}\r\n`)
  }
})
