/**
 * A coordinated failover, where its traces do not say enough: TILT, the hellos of those who only voted,
 * and what ends it from outside. The rest is in testdata.
 */
import { expect, test } from 'vitest'
import { SentinelTrace } from '../../support/sentinel-trace.ts'

const GROUP = 'group quorum=2 replicas=2 peers=2 failover-timeout=20000'
const COORDINATED = 'client SENTINEL FAILOVER g COORDINATED'

/** A settled group whose nodes hand over when the script says so; what happened until now is left out. */
function stalling(...more: string[]): SentinelTrace {
  const trace = new SentinelTrace()
  trace.play(GROUP, 'handover stalls', 'run 300', ...more)
  trace.take()
  return trace
}

function said(lines: readonly string[], text: string): boolean {
  return lines.some((line) => line.includes(text))
}

test('in TILT a handover that has come about is not adopted before TILT ends', () => {
  const trace = stalling(COORDINATED, 'run 100')
  expect(said(trace.play('stall 5000', 'completes master', 'run 29000'), '+promoted')).toBe(false)
  expect(said(trace.play('run 1100'), '+promoted-slave')).toBe(true)
})

test('in TILT it is begun when TILT ends', () => {
  const trace = stalling('stall 3000', 'run 500')
  const early = trace.play(COORDINATED, 'run 29000')
  expect(said(early, '+try-failover')).toBe(true)
  expect(said(early, 'FAILOVER TO')).toBe(false)
})

test('its time is up in TILT, too, but not if it has come about', () => {
  const trace = stalling(COORDINATED, 'run 100', 'stall 25000', 'completes master')
  const lines = trace.play('run 31000')
  expect(said(lines, '+promoted-slave')).toBe(true)
  expect(said(lines, '-failover-abort')).toBe(false)
})

test('who votes while the master is well keeps hellos away from it for two periods', () => {
  const trace = stalling('ask peer1 epoch=5 for=peer1', 'hellos')
  expect(said(trace.play('run 3900'), 'to master: hello')).toBe(false)
  expect(said(trace.play('run 2200'), 'to master: hello')).toBe(true)
})

test('hellos stay away from a master that is told to hand over by somebody else', () => {
  const trace = stalling('failover master replica1', 'run 1000', 'hellos')
  const lines = trace.play('run 6000')
  expect(said(lines, 'to replica1: hello')).toBe(true)
  expect(said(lines, 'to master: hello')).toBe(false)
})

test('the master is marked, and differently from one that is failed over by force', () => {
  const trace = stalling(COORDINATED, 'run 100')
  const lines = trace.play('client SENTINEL MASTER g')
  expect(said(lines, 'master,failover_in_progress,coordinated_failover')).toBe(true)
  expect(said(lines, 'force_failover')).toBe(false)
})

test('a newer configuration that keeps the master takes the order back', () => {
  const trace = stalling(COORDINATED, 'run 100')
  const lines = trace.play('hello peer1 epoch=9 config-epoch=9 master=master')
  expect(said(lines, 'to master: FAILOVER ABORT')).toBe(true)
  expect(said(lines, 'to master: CLIENT UNPAUSE')).toBe(true)
})

test('so does a newer configuration that names another master, and so does RESET', () => {
  for (const end of [
    'hello peer1 epoch=9 config-epoch=9 master=replica2',
    'client SENTINEL RESET g',
  ]) {
    const trace = stalling(COORDINATED, 'run 100')
    expect(said(trace.play(end), 'to master: CLIENT UNPAUSE')).toBe(true)
  }
})

test('a failover-timeout below a second leaves no time to hand over', () => {
  const trace = new SentinelTrace()
  const lines = trace.play(
    GROUP.replace('20000', '900'),
    'handover obeys',
    'run 300',
    COORDINATED,
    'run 500',
  )
  expect(said(lines, '-failover-abort-master-timeout')).toBe(true)
  expect(said(lines, 'CLIENT PAUSE')).toBe(false)
})

test('the replica that is behind is not the one that is handed over to', () => {
  const trace = stalling('replica replica1 offset=50', COORDINATED, 'run 100')
  expect(said(trace.play('completes master', 'run 500'), 'to replica1: SLAVEOF replica2')).toBe(
    true,
  )
})

test('a forced failover asks nobody, and pauses nobody', () => {
  const lines = stalling().play('client SENTINEL FAILOVER g', 'run 500')
  expect(said(lines, 'vote@')).toBe(false)
  expect(said(lines, 'CLIENT PAUSE')).toBe(false)
  expect(said(lines, '+switch-master')).toBe(true)
})
