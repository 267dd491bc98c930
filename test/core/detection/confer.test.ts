import { expect, test } from 'vitest'
import { array, bulk, integer } from '../../../src/resp/reply.ts'
import { SentinelStage } from '../../support/sentinel-stage.ts'

function conferring(): SentinelStage {
  const stage = new SentinelStage({ group: { downAfterMs: 5_000 } })
  for (const name of ['peer1', 'peer2']) {
    stage.part(name).counsel = { refused: false, granted: true, epoch: 0 }
  }
  stage.run(5_000)
  stage.forget()
  return stage
}

function conferredWith(stage: SentinelStage, name: string) {
  return stage.sentTo(name).filter(({ argv }) => argv[1] === 'CONFER')
}

function confer(stage: SentinelStage, epoch: number, candidate = '*') {
  const words = ['10.0.0.1', '6379', String(epoch), candidate]
  return stage.ask('SENTINEL', 'CONFER', ...words)
}

test('a PING that stays unanswered for longer than usual has the peers look as well', () => {
  const stage = conferring()
  stage.part('master').mood = 'hangs'
  stage.run(1_200)
  const pingedAtMs = stage.sentTo('master', 'PING')[0]?.atMs ?? 0
  expect(conferredWith(stage, 'peer1').map(({ atMs }) => atMs)).toEqual([pingedAtMs + 20])
  expect(conferredWith(stage, 'peer2')).toHaveLength(1)
})

test('nobody confers about a master that answers', () => {
  const stage = conferring()
  stage.run(10_000)
  expect(conferredWith(stage, 'peer1')).toEqual([])
})

test('whoever is asked looks for himself at once', () => {
  const stage = conferring()
  stage.run(550)
  const before = stage.sentTo('master', 'PING').length
  expect(confer(stage, 0)).toEqual(array([integer(0), integer(0), integer(0)]))
  expect(stage.sentTo('master', 'PING')).toHaveLength(before + 1)
})

test('one that says it is refused is believed to be', () => {
  const stage = conferring()
  stage.kill('master')
  stage.run(10)
  expect(confer(stage, 0)).toEqual(array([integer(1), integer(0), integer(0)]))
})

test('to confer binds nobody: the vote of that epoch is free afterwards', () => {
  const stage = conferring()
  expect(confer(stage, 7, 'b'.repeat(40))).toEqual(array([integer(0), integer(1), integer(0)]))
  expect(stage.askedBy('peer2', 7, 'c'.repeat(40))).toEqual(
    array([integer(0), bulk('c'.repeat(40)), integer(7)]),
  )
})

test('a vote that is given is not promised to another', () => {
  const stage = conferring()
  stage.askedBy('peer2', 7, 'c'.repeat(40))
  expect(confer(stage, 7, 'b'.repeat(40))).toEqual(array([integer(0), integer(0), integer(7)]))
})

test('a Sentinel that cannot save promises no vote', () => {
  const stage = conferring()
  stage.savesWork = false
  stage.askedBy('peer2', 7, 'c'.repeat(40))
  expect(confer(stage, 8, 'b'.repeat(40))).toEqual(array([integer(0), integer(0), integer(7)]))
})

test('of a master nobody knows nothing is seen', () => {
  const stage = conferring()
  expect(stage.ask('SENTINEL', 'CONFER', '10.9.9.9', '1', '7', 'b'.repeat(40))).toEqual(
    array([integer(0), integer(0), integer(0)]),
  )
})

test('what is no number is refused', () => {
  const stage = conferring()
  expect(stage.wire(['SENTINEL', 'CONFER', '10.0.0.1', 'x', '0', '*'])).toMatch(
    /^-ERR value is not/,
  )
  expect(stage.wire(['SENTINEL', 'CONFER', '10.0.0.1', '6379', '-1', '*'])).toMatch(/^-ERR value/)
})

test('a Sentinel that answers anything else is not asked again on that connection', () => {
  const stage = new SentinelStage({ group: { downAfterMs: 60_000, quorum: 3 } })
  stage.part('peer2').says = ([, sub]) => (sub === 'CONFER' ? bulk('what?') : undefined)
  stage.kill('master')
  stage.run(20_000)
  expect(conferredWith(stage, 'peer1')).toHaveLength(1)
  expect(conferredWith(stage, 'peer2')).toHaveLength(1)
  stage.cut('peer2')
  stage.run(20_000)
  expect(conferredWith(stage, 'peer2')).toHaveLength(2)
})

test('an epoch the peer has reached and we have not is ours from then on', () => {
  const stage = conferring()
  stage.part('peer1').counsel = { refused: false, granted: false, epoch: 9 }
  stage.part('master').mood = 'hangs'
  stage.run(3_000)
  expect(stage.saved.currentEpoch).toBe(9)
})

test('an absurd epoch is passed over', () => {
  const stage = conferring()
  stage.part('peer1').counsel = { refused: false, granted: false, epoch: 2 ** 60 }
  stage.part('master').mood = 'hangs'
  stage.run(3_000)
  expect(stage.saved.currentEpoch).toBe(0)
})

test('in TILT nobody is told that the master refuses connections', () => {
  const stage = conferring()
  stage.kill('master')
  stage.run(10)
  stage.jump(3_600_000)
  stage.run(10)
  expect(confer(stage, 0)).toEqual(array([integer(0), integer(0), integer(0)]))
})
