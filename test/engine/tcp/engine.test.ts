import { expect, test } from 'vitest'
import { createTcpEngine } from '../../../src/engine/tcp/engine.ts'
import { altered, parse } from '../../scenario/support.ts'

const STEPS = '  - { at: 6s, shape: { between: [a, b], loss: 0.1 } }\n'
const LIARS = altered('  sentinels:', '  liars: { mallory: {} }\n  sentinels:')

test('every step that lies is refused, by the number and the word of the file', () => {
  const vote = '{ by: mallory, to: s1, vote: {} }'
  const lies = `${STEPS}  - { at: 7s, lie: ${vote} }\n  - { at: 8s, lie: ${vote} }\nexpect:`
  const reason = 'liars live in the simulated world only'
  expect(createTcpEngine().refusal(parse(LIARS.replace('expect:', lies)))).toBe(
    `step 3 (lie): ${reason}; step 4 (lie): ${reason}`,
  )
})

test('everything else can be done on real sockets', () => {
  const file = parse(altered('expect:', `${STEPS}expect:`))
  expect(createTcpEngine().refusal(file)).toBeUndefined()
})
