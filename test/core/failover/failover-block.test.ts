/** [failover-block] After an automatic failover there is no other for a while, unless an operator orders one. */
import { expect, test } from 'vitest'
import type { SentinelTrace } from '../../support/sentinel-trace.ts'
import { DEATH, settled } from './settled.ts'

function count(lines: readonly string[], text: string): number {
  return lines.filter((line) => line.includes(text)).length
}

/** The first failover, to replica1, and the death of that one. */
function afterSecondDeath(block: string): { trace: SentinelTrace; lines: readonly string[] } {
  const trace = settled(`failover-block ${block}`)
  trace.play(...DEATH, 'run 11000')
  return { trace, lines: trace.play('kill replica1', 'run 5000') }
}

test('without a block the next master that dies is replaced at once', () => {
  const { lines } = afterSecondDeath('0')
  expect(count(lines, '+selected-slave')).toBe(1)
})

test('with a block it is not, and the log says once why and what lifts it', () => {
  const { trace, lines } = afterSecondDeath('60000')
  expect(count(lines, '+odown')).toBe(1)
  const all = [...lines, ...trace.play('run 20000')]
  expect(count(all, '+try-failover')).toBe(0)
  expect(count(all, 'less than 60000 ms ago (failover-block); SENTINEL FAILOVER g')).toBe(1)
})

test('the block is announced when the failover ends, and counts from there', () => {
  const trace = settled('failover-block 60000')
  const lines = trace.play(...DEATH, 'run 11000')
  expect(count(lines, '+failover-block master g replica1 for 60000 ms')).toBe(1)
})

test('once the time is up the master is replaced', () => {
  const { trace } = afterSecondDeath('60000')
  expect(count(trace.play('run 45000'), '+selected-slave')).toBe(1)
})

test('an operator is not blocked, and lifts the block', () => {
  const { trace } = afterSecondDeath('600000')
  const lines = trace.play('client SENTINEL FAILOVER g', 'run 12000')
  expect(count(lines, '-failover-block')).toBe(1)
  expect(count(lines, '+switch-master')).toBe(1)
  expect(count(lines, '+failover-block')).toBe(0)
})

test('a planned failover begins no block', () => {
  const trace = settled('failover-block 600000')
  trace.play('client SENTINEL FAILOVER g', 'run 12000')
  const lines = trace.play(...DEATH.slice(0, 2), 'kill replica1', 'run 5000')
  expect(count(lines, '+selected-slave')).toBe(1)
})

test('a Sentinel that was not the leader is blocked, too, if the old master was dead', () => {
  const trace = settled('failover-block 60000')
  const news = 'hello peer1 epoch=5 config-epoch=5 master=replica1'
  const lines = trace.play('kill master', 'run 500', news, 'run 100')
  expect(count(lines, '+failover-block')).toBe(1)
})

test('if the old master was well it was an operator: no block', () => {
  const trace = settled('failover-block 60000')
  const lines = trace.play('hello peer1 epoch=5 config-epoch=5 master=replica1', 'run 100')
  expect(count(lines, '+switch-master')).toBe(1)
  expect(count(lines, '+failover-block')).toBe(0)
})

test('a restart of the Sentinel does not forget the block', () => {
  const { trace } = afterSecondDeath('60000')
  const lines = trace.play('restart', 'run 20000')
  expect(count(lines, '+odown')).toBe(1)
  expect(count(lines, '+try-failover')).toBe(0)
  expect(count(trace.play('run 25000'), '+selected-slave')).toBe(1)
})

test('a wall clock that jumped over a restart makes the block no longer than it is set to', () => {
  const { trace } = afterSecondDeath('60000')
  expect(count(trace.play('jump -9000000', 'restart', 'run 59000'), '+try-failover')).toBe(0)
  expect(count(trace.play('run 4000'), '+selected-slave')).toBe(1)
})

test('the block ends when the option is switched off', () => {
  const { trace } = afterSecondDeath('600000')
  const lines = trace.play('client SENTINEL SET g failover-block 0', 'run 2000')
  expect(count(lines, '+selected-slave')).toBe(1)
})
