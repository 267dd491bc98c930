import { expect, test } from 'vitest'
import { beliefOf } from '../../src/blackbox/belief.ts'
import { REPLICAS, TestSentinel } from '../support/sentinel-builder.ts'

test('a replica that has not answered yet has lost no master: it has named none', () => {
  const sentinel = new TestSentinel({ replicas: REPLICAS })
  const [first] = sentinel.group.replicas.values()
  const line = () => beliefOf(sentinel.state, sentinel.now).find((one) => one.includes(':6380'))
  if (first === undefined) throw new Error('no replica')
  Object.assign(first, { masterHost: '?', masterPort: 0, masterLinkUp: false })
  expect(line()).toContain(', has named no master, ')
  Object.assign(first, { masterHost: '10.0.0.1', masterPort: 6379 })
  expect(line()).toContain(', has lost 10.0.0.1:6379, ')
})
