/**
 * Records of an earlier build, played by this one. If the machine is meant to decide otherwise now, `npm run incidents`
 * records them anew; if only the text of what it did is another, every record that users have has become useless.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { playSegment } from '../../src/cli/replay/play.ts'

const SEGMENTS = ['kill', 'handover-gone-wrong'].flatMap((incident) => {
  const folder = join('incidents', incident, 'records')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.vbb')).map((name) => join(folder, name))
})

test.each(SEGMENTS)('%s: the machine decides what it decided then', (path) => {
  const steps = playSegment({ path })
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  expect(step.value.fault).toBeUndefined()
})
