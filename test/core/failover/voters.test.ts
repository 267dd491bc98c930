/** Which nodes are the voters of a strict group, where their names mislead. */
import { expect, test } from 'vitest'
import { array, bulk, OK } from '../../../src/resp/reply.ts'
import { SentinelStage } from '../../support/sentinel-stage.ts'

/** Master and `replica2` are dead; only `replica1` can be fenced, where two votes are needed. */
function alone(secondVoter: string): SentinelStage {
  const voters = ['10.0.0.1:6379', '10.0.0.2:6379', secondVoter]
  const stage = new SentinelStage({
    resolveHostnames: true,
    group: { replication: 'strict', voters },
  })
  stage.hosts.set('two', '10.0.0.2')
  for (const part of stage.cast.values()) part.seesDown = true
  stage.part('replica1').says = ([verb, , , part]) => {
    if (verb !== 'FENCE' || part !== 'ASK') return undefined
    return array([bulk('1'), bulk('1'), bulk('100'), bulk('voter')])
  }
  stage.run(12_000)
  for (const name of ['master', 'replica2']) stage.kill(name)
  stage.run(20_000)
  return stage
}

test.each(['10.0.0.3:6379', 'two:6379'])(
  'one voter is one vote, also if %s is listed',
  (listed) => {
    const stage = alone(listed)
    expect(stage.times('+odown')).toHaveLength(1)
    const fences = stage.sentTo('replica1', 'FENCE').map(({ argv }) => argv[3])
    expect(fences).not.toContain('PROMOTE')
  },
)

/** The master is dead; `replica1` is promoted, and calls itself the master of this term from then on. */
function promotedIn(term: string): SentinelStage {
  const voters = ['10.0.0.1:6379', '10.0.0.2:6379', '10.0.0.3:6379']
  const stage = new SentinelStage({ group: { replication: 'strict', voters } })
  for (const part of stage.cast.values()) part.seesDown = true
  for (const name of ['replica1', 'replica2']) {
    const part = stage.part(name)
    const offset = name === 'replica1' ? '200' : '100'
    part.says = ([verb, epoch, , what]) => {
      if (verb !== 'FENCE') return undefined
      if (what === 'ASK') return array([bulk(epoch ?? ''), bulk('1'), bulk(offset), bulk('voter')])
      part.master = undefined
      part.moreInfo.push('sync_state:master', `sync_term:${term}`)
      return OK
    }
  }
  stage.run(12_000)
  stage.kill('master')
  stage.run(3_000)
  expect(stage.sentTo('replica1', 'FENCE').map(({ argv }) => argv[3])).toContain('PROMOTE')
  return stage
}

test('a master of the term that it was promoted in is the new one', () => {
  expect(promotedIn('1').times('+promoted-slave')).toHaveLength(1)
})

test('a node that calls itself the master of an older term has not been promoted', () => {
  expect(promotedIn('0').times('+promoted-slave')).toEqual([])
})
