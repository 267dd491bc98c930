/** Which nodes are the voters of a strict group, where their names mislead. */
import { expect, test } from 'vitest'
import { array, bulk } from '../../../src/resp/reply.ts'
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
