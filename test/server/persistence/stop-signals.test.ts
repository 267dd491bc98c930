/** [shutdown-on-sigterm] and [shutdown-on-sigint]: what a signal asks for beyond ending. */
import { describe, expect, test } from 'vitest'
import { encodeCommand } from '../../../src/resp/encode.ts'
import { SlowDisk } from '../../support/slow-disk.ts'

function node(directives: Record<string, string>): SlowDisk {
  const harness = new SlowDisk(directives)
  harness.disk.isSlow = true
  harness.client().say('SET k 1')
  return harness
}

/** Attaches a replica that acknowledges nothing. */
function attachSilent(harness: SlowDisk): void {
  harness.client().bytes(encodeCommand(['PSYNC', '?', '-1']))
  harness.advance(1000)
  harness.client().say('SET k 2')
}

describe('what is saved', () => {
  test.each([
    ['default', '3600 1', ['dump.rdb']],
    ['default', '', []],
    ['save', '', ['dump.rdb']],
    ['nosave', '3600 1', []],
    ['now force', '3600 1', ['dump.rdb']],
    ['nosave now', '3600 1', []],
  ])('%s, with [save] "%s"', (words, save, paths) => {
    const harness = node({ save, 'shutdown-on-sigterm': words })
    harness.node.stopRequested(harness.now, 'SIGTERM')
    harness.answerAll()
    expect([harness.exitStatus, harness.disk.paths()]).toEqual([0, paths])
  })

  test('each signal has its own setting', () => {
    const harness = node({ save: '3600 1', 'shutdown-on-sigint': 'nosave' })
    harness.node.stopRequested(harness.now, 'SIGINT')
    expect([harness.exitStatus, harness.disk.paths()]).toEqual([0, []])
    const other = node({ save: '3600 1', 'shutdown-on-sigint': 'nosave' })
    other.node.stopRequested(other.now, 'SIGTERM')
    other.answerAll()
    expect(other.disk.paths()).toEqual(['dump.rdb'])
  })

  test('it may be changed while the node runs', () => {
    const harness = node({ save: '3600 1' })
    expect(harness.client().send('CONFIG', 'SET', 'shutdown-on-sigterm', 'nosave')).toBe('+OK\r\n')
    harness.node.stopRequested(harness.now, 'SIGTERM')
    expect([harness.exitStatus, harness.disk.paths()]).toEqual([0, []])
  })
})

test('now: replicas are not waited for', () => {
  const patient = node({ save: '' })
  attachSilent(patient)
  patient.node.stopRequested(patient.now, 'SIGTERM')
  expect(patient.exitStatus).toBeUndefined()
  const hasty = node({ save: '', 'shutdown-on-sigterm': 'now' })
  attachSilent(hasty)
  hasty.node.stopRequested(hasty.now, 'SIGTERM')
  expect(hasty.exitStatus).toBe(0)
})

test.each([
  ['default', undefined],
  ['force', 0],
])('a disk that is full, with %s: exit status %s', (words, status) => {
  const harness = node({ save: '3600 1', 'shutdown-on-sigterm': words })
  harness.node.stopRequested(harness.now, 'SIGTERM')
  harness.fail()
  harness.answerAll()
  expect(harness.exitStatus).toBe(status)
})

test('a second signal still only ends the waiting, whatever is set', () => {
  const harness = node({ save: '3600 1', 'shutdown-on-sigint': 'nosave' })
  harness.node.stopRequested(harness.now, 'SIGTERM')
  harness.node.stopRequested(harness.now, 'SIGINT')
  expect(harness.exitStatus).toBeUndefined()
  harness.answerAll()
  expect([harness.exitStatus, harness.disk.paths()]).toEqual([0, ['dump.rdb']])
})
