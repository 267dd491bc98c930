/** [state-config-file] Where Valkey's Sentinel keeps what it learns. */
import { expect, test } from 'vitest'
import { NO_OUTSIDE } from '../../src/config/config-filesystem.ts'
import { parseSentinelConf } from '../../src/config/sentinel-conf.ts'

const CONF = `sentinel state-config-file /var/lib/valkey/state.conf
sentinel monitor g 10.0.0.1 6379 2
sentinel down-after-milliseconds g 5000
`

function parse(state: string | undefined) {
  const outside = {
    ...NO_OUTSIDE,
    include: (path: string) =>
      state === undefined
        ? ({ ok: false, path, reason: 'ENOENT' } as const)
        : ({ ok: true, files: [{ name: path, text: state }] } as const),
  }
  const parsed = parseSentinelConf(CONF, 'sentinel.conf', [], outside)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed
}

test('our state goes beside it, and a notice says where', () => {
  const { value, warnings } = parse(undefined)
  expect(value.stateFile).toBe('/var/lib/valkey/state.conf.vedette')
  expect(warnings.map(({ message }) => message)).toEqual([
    'this Sentinel keeps its state in /var/lib/valkey/state.conf.vedette, and never writes to /var/lib/valkey/state.conf',
  ])
  expect(value.learnt).toBeUndefined()
})

test('what was learnt there counts: the master after a failover, the epochs, the replicas, the id', () => {
  const { value } = parse(`sentinel myid ${'a'.repeat(40)}
sentinel monitor g 10.0.0.2 6380 2
sentinel down-after-milliseconds g 9000
sentinel config-epoch g 7
sentinel leader-epoch g 8
sentinel known-replica g 10.0.0.1 6379
sentinel current-epoch 9
`)
  expect(value.core.groups[0]).toMatchObject({ host: '10.0.0.2', port: 6380, downAfterMs: 5_000 })
  expect(value.learnt).toMatchObject({ myid: 'a'.repeat(40), currentEpoch: 9 })
  expect(value.learnt?.groups[0]).toMatchObject({
    configEpoch: 7,
    leaderEpoch: 8,
    replicas: [{ host: '10.0.0.1', port: 6379 }],
  })
})

test('a damaged line in it is an error that names it', () => {
  expect(() => parse('sentinel current-epoch -4\n')).toThrow(/state\.conf/)
})
