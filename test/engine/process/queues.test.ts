import { expect, test } from 'vitest'
import { renderQueues } from '../../../src/engine/process/queues.ts'

const FROM = { fromIp: '10.208.0.1' }

test('a port without slow ways gets a queue that does nothing', () => {
  const ways = [{ ...FROM, shape: { loss: 0.5 } }]
  expect(renderQueues({ port: 'p0', ways })).toBe('qdisc replace dev p0 root pfifo_fast\n')
})

test('who is in no class passes at full speed', () => {
  const ways = [{ ...FROM, shape: { bytesPerSecond: 1_000 } }]
  const commands = renderQueues({ port: 'p0', ways })
  expect(commands).toContain('root handle 1: htb default 1')
  expect(commands).toContain('classid 1:1 htb rate 10gbit')
  expect(commands).toContain('classid 1:2 htb rate 8000bit')
  expect(commands).toContain('match ip src 10.208.0.1/32 flowid 1:2')
  expect(commands).not.toContain('netem')
})

test('a latency with jitter is a delay to both sides of its middle, in order', () => {
  const ways = [{ ...FROM, shape: { latencyMs: 40, jitterMs: 10 } }]
  const commands = renderQueues({ port: 'p0', ways })
  expect(commands).toContain('netem limit 10000 delay 45000us 5000us rate 10gbit')
})

test('classes have numbers of their own, in hexadecimal as tc reads them', () => {
  const ways = Array.from({ length: 12 }, (_, index) => ({
    fromIp: `10.208.0.${index + 1}`,
    shape: { bytesPerSecond: 1_000 },
  }))
  expect(renderQueues({ port: 'p0', ways })).toContain('src 10.208.0.12/32 flowid 1:d')
})
