import { describe, expect, test } from 'vitest'
import type { Lane, LaneModel } from '../../../src/report/lanes/lane-model.ts'
import { wordState } from '../../../src/report/lanes/lane-state.ts'
import { collapse, createLanes } from '../../../src/report/lanes/lanes.ts'
import { parse, SOUND } from '../../scenario/support.ts'
import { at, event, historyOf, play, write } from '../support.ts'

const RUNS = { kind: 'status', status: 'running' } as const
const DOWN = { kind: 'status', status: 'down' } as const
const MASTER = { kind: 'role', role: { kind: 'master' } } as const

function lane(model: LaneModel, name: string): Lane {
  const found = model.lanes.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no lane ${name}`)
  return found
}

function statesOf(one: Lane): string[] {
  return one.spans.map(({ fromMs, state }) => `${fromMs} ${wordState(state)}`)
}

function textsOf(one: Lane): string[] {
  return one.moments.map(({ atMs, text }) => `${atMs} ${text}`)
}

describe('lanes', () => {
  test('those of one host stand together', async () => {
    const { file, history } = await play()
    const names = createLanes(file, history).lanes.map(({ name, host }) => `${host} ${name}`)
    expect(names).toEqual(['a n1', 'a s1', 'b n2', 'b s2', 'c n3', 'c s3', 'd app'])
  })

  test('spans have no gaps and reach from the start to the end', async () => {
    const { file, history } = await play()
    for (const { spans } of createLanes(file, history).lanes) {
      expect(spans[0]?.fromMs).toBe(0)
      expect(spans.at(-1)?.untilMs).toBe(history.endMs)
      spans.slice(1).forEach((span, index) => {
        expect(span.fromMs).toBe(spans[index]?.untilMs)
      })
    }
  })

  test('a master that refuses a write is shown as refusing until it acknowledges one', () => {
    const history = historyOf([at(10, 'n1', RUNS), at(20, 'n1', MASTER)], {
      writes: [
        write(1_000, 'n1', 'acknowledged'),
        write(2_000, 'n1', 'refused'),
        write(3_000, 'n1', 'refused'),
        write(4_000, 'n1', 'acknowledged'),
      ],
    })
    expect(statesOf(lane(createLanes(parse(SOUND), history), 'n1'))).toEqual([
      '0 down',
      '10 starting',
      '20 master',
      '2000 master, refuses writes (NOREPLICAS)',
      '4000 master',
    ])
  })

  test('a replica that refuses a write is a replica still', () => {
    const role = { kind: 'replica', master: { host: 'n1', port: 6379 }, isLinkUp: true } as const
    const history = historyOf([at(10, 'n2', RUNS), at(20, 'n2', { kind: 'role', role })], {
      writes: [write(1_000, 'n2', 'refused')],
    })
    const states = statesOf(lane(createLanes(parse(SOUND), history), 'n2'))
    expect(states.at(-1)).toBe('20 replica of n1')
  })

  test('a node that was paused is afterwards what it was before', () => {
    const history = historyOf([
      at(10, 'n1', RUNS),
      at(20, 'n1', MASTER),
      at(5_000, 'n1', { kind: 'status', status: 'paused' }),
      at(9_000, 'n1', RUNS),
    ])
    expect(statesOf(lane(createLanes(parse(SOUND), history), 'n1')).slice(2)).toEqual([
      '20 master',
      '5000 paused',
      '9000 master',
    ])
  })

  test('a restarted node has no role until it says one', () => {
    const history = historyOf([
      ...[at(10, 'n1', RUNS), at(20, 'n1', MASTER)],
      ...[at(5_000, 'n1', DOWN), at(6_000, 'n1', RUNS)],
    ])
    const states = statesOf(lane(createLanes(parse(SOUND), history), 'n1'))
    expect(states.slice(-2)).toEqual(['5000 down', '6000 starting'])
  })

  test('run ids and addresses are shown as names', () => {
    const id = 'f'.repeat(40)
    const vote = { kind: 'vote', sentinelId: id, group: 'mymaster', epoch: 1, leader: id } as const
    const history = historyOf([
      event(1_000, 's2', `+vote-for-leader ${id} 1`),
      event(1_500, 's2', '+switch-master mymaster n1 6379 n3 6379'),
      at(1_001, 's1', vote),
    ])
    const s2 = lane(createLanes(parse(SOUND), history), 's2')
    expect(s2.moments.map(({ labels }) => labels[0])).toEqual(['votes for s1', '+switch-master n3'])
  })

  test('a vote that an event told is not told again when it leaves', () => {
    const id = 'a'.repeat(40)
    const vote = { kind: 'vote', sentinelId: id, group: 'mymaster', epoch: 1, leader: id } as const
    const history = historyOf([
      event(1_000, 's1', `+vote-for-leader ${id} 1`),
      at(1_002, 's1', vote),
    ])
    expect(textsOf(lane(createLanes(parse(SOUND), history), 's1'))).toHaveLength(1)
  })

  test('a client is served by another node after the failover, with the outage between', async () => {
    const { file, history } = await play()
    const kinds = lane(createLanes(file, history), 'app').spans.map(({ state }) => state.kind)
    expect(kinds).toEqual(['down', 'starting', 'served', 'waiting', 'served'])
  })

  test('a Sentinel in TILT is shown in it until it says that it is out', () => {
    const history = historyOf([
      at(10, 's1', RUNS),
      event(1_000, 's1', '+tilt #tilt mode entered'),
      event(9_000, 's1', '-tilt #tilt mode exited'),
    ])
    const { spans } = lane(createLanes(parse(SOUND), history), 's1')
    expect(spans.map(({ fromMs }) => fromMs)).toEqual([0, 10, 1_000, 9_000])
    expect(spans[2]?.state).toMatchObject({ kind: 'watching', isTilted: true })
  })
})

describe('repetition', () => {
  const moment = (atMs: number, text: string) => ({
    ...{ atMs, text, topic: 'other' as const, isKey: true },
    labels: [text] as [string],
  })

  test('the same thing again and again is told once, with a count', () => {
    const told = collapse([moment(1, 'a'), moment(2, 'a'), moment(3, 'a')], [])
    expect(told).toMatchObject([{ atMs: 1, text: 'a', count: 3, untilMs: 3 }])
  })

  test('a pair that keeps alternating is told twice and then counted', () => {
    const moments = Array.from({ length: 20 }, (_none, n) => moment(n, n % 2 === 0 ? 'down' : 'up'))
    const told = collapse(moments, [])
    expect(told).toHaveLength(4)
    expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(20)
  })

  test('nothing is drawn together across a fault', () => {
    expect(collapse([moment(1, 'down'), moment(9, 'down')], [5])).toHaveLength(2)
  })
})
