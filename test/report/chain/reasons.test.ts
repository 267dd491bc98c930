import { expect, test } from 'vitest'
import { explainRecorded } from '../../../src/report/chain/chain.ts'
import { parse, SOUND } from '../../scenario/support.ts'
import { event, historyOf } from '../support.ts'

const MASTER = 'master mymaster n1 6379'

/** The first sentence of an incident that these reasons are told of, by one Sentinel each. */
function told(...reasons: readonly (string | undefined)[]): string {
  const happenings = reasons.flatMap((reason, at) => {
    const [atMs, name] = [1_000 + 10 * at, `s${at + 1}`]
    const down = event(atMs, name, `+sdown ${MASTER}`)
    if (reason === undefined) return [down]
    return [down, event(atMs, name, `+sdown-evidence ${MASTER} # ${reason}`)]
  })
  const [chapter] = explainRecorded(parse(SOUND), historyOf(happenings))
  return chapter?.links[0]?.text ?? ''
}

const SILENT = 'no valid reply for 1003 ms'
const REFUSED =
  'connections refused for 250 ms, as 3 Sentinels see it (quorum 2), and lost by 2 of 2 replicas'

test('a silent master is told with the time for which it did not answer', () => {
  expect(told(SILENT)).toBe(
    's1 is the first to hold n1 down (down-after is 1 s): +sdown, because it did not answer PING for 1.003 s.',
  )
  expect(told(`${SILENT}, of which we were late ourselves for 20 ms, no connection`)).toContain(
    'because it did not answer PING for 1.003 s and was not connected (the Sentinel itself was late for 20 ms of it).',
  )
})

test('a master whose host refuses connections is told with those that saw it', () => {
  expect(told(REFUSED, REFUSED)).toBe(
    's1 is the first to hold n1 down: +sdown, because its host had refused connections for 250 ms, which 3 Sentinels saw (2 are needed), and 2 of 2 replicas had lost it: no process listened there. Then s2 10 ms later.',
  )
})

test('a gray master is told with what it answered', () => {
  expect(told('refuses writes for 2001 ms: answers writes with OOM, has used 9 of 8 bytes')).toBe(
    's1 is the first to hold n1 down: +sdown, because it had answered PING and refused writes for 2.001 s: it answers writes with OOM, has used 9 of 8 bytes.',
  )
})

test('a master without its data, and any other reason, is told as the Sentinel says it', () => {
  const empty =
    'came back without its data: replica 10.0.0.2:6379 holds 14184 bytes of history and was offered 66'
  // Addresses become names.
  expect(told(empty)).toContain(
    'because it came back without its data: replica 10.0.0.2 holds 14184 bytes',
  )
  expect(told('says it is a replica for 20100 ms')).toContain(
    'because it says it is a replica for 20100 ms.',
  )
})

test('a Sentinel that saw something else than the first one is quoted', () => {
  expect(told(REFUSED, SILENT)).toMatch(
    /Then s2 10 ms later\. s2 says that it did not answer PING for 1\.003 s\.$/,
  )
})

test('without a reason the sentence has none', () => {
  expect(told(undefined, SILENT)).toBe(
    's1 is the first to hold n1 down (down-after is 1 s): +sdown. Then s2 10 ms later.',
  )
})
