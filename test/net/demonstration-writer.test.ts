/** The writer of `vedette up` on a Sentinel and a master that follow a script. */
import { expect, onTestFinished, test } from 'vitest'
import { Writer } from '../../src/cli/up/writer.ts'
import { until } from '../support/processes.ts'
import { announceWhileAsked, stage } from '../support/scripted-sentinel.ts'

test('the writer goes on when a switch is announced while it asks a Sentinel for the master', async () => {
  const scene = await stage()
  const writer = new Writer([scene.sentinelPort], () => undefined)
  onTestFinished(() => writer.stop())
  await until('it writes and listens', 5_000, () => {
    return writer.report().acknowledged > 0 && scene.sentinel.listeners.size > 0
  })
  await announceWhileAsked(scene)
  const before = writer.report().acknowledged
  await until('it writes again', 5_000, () => writer.report().acknowledged > before)
  expect(writer.report().acknowledged).toBeGreaterThan(before)
})
