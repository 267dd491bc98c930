import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { explain } from '../../src/cli/up/explain.ts'
import { fold, speakers } from '../../src/cli/up/fold.ts'
import { harmed, heardOf, lostWrites, wrote } from '../../src/cli/up/incident.ts'
import { LatencyTrail, sparkline } from '../../src/cli/up/latency.ts'
import { drawLive, type Frame } from '../../src/cli/up/live-text.ts'
import {
  type ClusterModel,
  createModel,
  masterPort,
  missing,
  note,
  noteAnswer,
  shownState,
} from '../../src/cli/up/model.ts'
import { connectionHints } from '../../src/cli/up/session.ts'
import type { WriteReport } from '../../src/cli/up/writer.ts'
import { PromisedWrites } from '../../src/cli/up/writer.ts'
import { type EventName, heardEvent } from '../../src/core/event-table.ts'

const PLACE = { sourceAddress: undefined }

/** One master, two replicas, three Sentinels, all well. */
function healthy(): ClusterModel {
  const model = createModel({
    nodes: [7000, 7001, 7002].map((port) => ({ ...PLACE, port })),
    sentinels: [7100, 7101, 7102].map((port) => ({ ...PLACE, port })),
  })
  for (const node of model.nodes) {
    node.state = 'running'
    const isMaster = node.port === 7000
    node.facts = {
      role: isMaster ? 'master' : 'replica',
      offset: isMaster ? 1_234_567 : 1_234_500,
      follows: isMaster ? undefined : 7000,
      isInSync: true,
      replicas: isMaster ? 2 : 0,
    }
  }
  for (const sentinel of model.sentinels) {
    sentinel.state = 'running'
    const seen = { master: 7000, replicas: 2, peers: 2, configEpoch: 0 }
    sentinel.facts = { ...seen, flags: ['master'], isTilted: false }
    sentinel.pingMs = 0.42
    sentinel.runId = String(sentinel.port).repeat(10)
  }
  return model
}

const FRAME: Frame = {
  columns: 80,
  rows: 24,
  title: 'mymaster · 3 nodes · 3 Sentinels, quorum 2 · down after 1 s',
  hints: ['redis-cli -p 7100 sentinel get-master-addr-by-name mymaster', 'redis-cli -p 7000'],
  uptimeMs: 62_000,
  writes: undefined,
}

const WRITES: WriteReport = {
  ...{ acknowledged: 12_345, lost: 0, silentMs: 3, longestSilenceMs: 30, lastMs: 0.7 },
  periods: [0.6, 2, 20, undefined, undefined, 2_000],
}

function draw(model: ClusterModel, frame: Partial<Frame> = {}): string[] {
  return stripVTControlCharacters(drawLive(model, { ...FRAME, ...frame })).split('\n')
}

function lineOf(port: number, lines: readonly string[]): string {
  return lines.find((line) => line.includes(` ${port} `)) ?? ''
}

test('roles, whom they follow, offsets and lag stand in one table', () => {
  const lines = draw(healthy())
  expect(lineOf(7000, lines)).toMatch(/● 7000 +master +– +1,234,567 +– +– +2 replicas$/)
  expect(lineOf(7001, lines)).toMatch(/● 7001 +replica +7000 +1,234,500 +67 B +– +in sync$/)
  expect(lineOf(7100, lines)).toMatch(/● 7100 +7000 +0 +2 +2 +0\.4 ms +watching$/)
})

test('the picture fits the terminal, however much has happened', () => {
  const model = healthy()
  for (let at = 0; at < 200; at++) {
    const text = `something very long happened ${'x'.repeat(200)} ${at}`
    note(model, { wallMs: at, source: 7100, event: '+failover-state-send-slaveof-noone', text })
  }
  for (let at = 0; at < 9; at++)
    harmed(model.incidents, { wallMs: at, cause: 'cut off', port: 7000 })
  const writes = { ...WRITES, silentMs: 1_500, longestSilenceMs: 1_500 }
  for (const [columns, rows] of [
    [60, 24],
    [60, 40],
    [80, 24],
    [80, 28],
    [100, 30],
    [200, 60],
  ] as const) {
    const lines = draw(model, { columns, rows, writes, hints: ['h'.repeat(300)] })
    expect(lines.length).toBeLessThan(rows)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  }
})

test('a terminal that is too small is told so, within its bounds, with the size that does', () => {
  for (const [columns, rows] of [
    [55, 40],
    [40, 12],
    [15, 4],
    [80, 12],
    [5, 1],
  ] as const) {
    const lines = draw(healthy(), { columns, rows })
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  }
  expect(draw(healthy(), { columns: 40, rows: 12 })[0]).toBe('40 × 12 is too small')
  const [, wanted = ''] = draw(healthy(), { columns: 80, rows: 12 })
  const rows = Number(/make it 56 × (\d+)/.exec(wanted)?.[1])
  expect(draw(healthy(), { columns: 80, rows })[0]).toContain('mymaster')
  expect(draw(healthy(), { columns: 80, rows: rows - 1 })[0]).toContain('too small')
})

test('a dead, a paused and a silent node look different', () => {
  const model = healthy()
  Object.assign(model.nodes[0]!, { state: 'dead', facts: undefined })
  Object.assign(model.nodes[1]!, { state: 'paused', facts: undefined })
  Object.assign(model.nodes[2]!, { facts: undefined })
  const lines = draw(model)
  expect(lineOf(7000, lines)).toMatch(/✗ .* dead$/)
  expect(lineOf(7001, lines)).toMatch(/○ .* paused$/)
  expect(lineOf(7002, lines)).toMatch(/○ .* no answer$/)
})

test('a cut-off master that was replaced is not shown as the master', () => {
  const model = healthy()
  model.nodes[0]!.state = 'cut off'
  for (const one of model.sentinels) one.facts = { ...one.facts!, master: 7001, configEpoch: 1 }
  expect(masterPort(model)).toBe(7001)
  expect(lineOf(7000, draw(model))).toMatch(/cut off, deposed$/)
})

test('the leader of the last failover is named with its epoch', () => {
  const model = healthy()
  model.leader = { port: 7102, epoch: 3 }
  expect(lineOf(7102, draw(model))).toMatch(/led epoch 3$/)
  model.sentinels[2]!.facts = { ...model.sentinels[2]!.facts!, flags: ['failover_in_progress'] }
  expect(lineOf(7102, draw(model))).toMatch(/leads failover$/)
})

test('a client that writes shows how long it has been silent', () => {
  const writes = { ...WRITES, silentMs: 900, longestSilenceMs: 1_052 }
  const line = draw(healthy(), { writes }).find((one) => one.includes('WRITES'))
  expect(line).toContain('12,345 acknowledged · 0 lost · silent 900 ms · longest gap 1,052 ms')
})

test('a cluster is ready when nothing is missing', () => {
  const model = healthy()
  expect(missing(model)).toBeUndefined()
  // What it last said still looks well.
  model.sentinels[0]!.state = 'paused'
  expect(missing(model)).toBe('7100 is paused')
  model.sentinels[0]!.state = 'running'
  model.sentinels[1]!.facts = { ...model.sentinels[1]!.facts!, peers: 1 }
  expect(missing(model)).toBe('Sentinel 7101 does not know every other')
  model.nodes[2]!.facts = { ...model.nodes[2]!.facts!, isInSync: false }
  expect(missing(model)).toBe('7002 is not in sync with its master')
})

test('a Sentinel from elsewhere is named as one too many, and a replica from elsewhere is not missed', () => {
  const model = healthy()
  const [first] = model.sentinels
  const { peers, replicas } = first!.facts!
  first!.facts = { ...first!.facts!, replicas: replicas + 1 }
  expect(missing(model)).toBeUndefined()
  first!.facts = { ...first!.facts!, peers: peers + 1 }
  expect(missing(model)).toBe(
    'Sentinel 7100 knows 3 others and this cluster has 2: one from elsewhere watches it, too',
  )
})

const DOWN = 'master mymaster 127.0.0.1 7000'

function say(
  model: ClusterModel,
  source: number,
  event: EventName,
  text: string,
  wallMs = 0,
): void {
  note(model, { wallMs, source, event, text })
}

test('what all Sentinels say at about the same time is one line', () => {
  const model = healthy()
  for (const port of [7101, 7100, 7102]) say(model, port, '+sdown', DOWN)
  const [line, ...others] = fold(model)
  expect(others).toEqual([])
  expect(line).toMatchObject({ event: '+sdown', words: 'master 7000 does not answer' })
  expect(speakers(line!, model)).toBe('all')
})

test('what one Sentinel says twice, or much later, is another line', () => {
  const model = healthy()
  say(model, 7100, '+sdown', DOWN)
  say(model, 7100, '+sdown', DOWN)
  say(model, 7101, '+sdown', DOWN, 60_000)
  expect(fold(model).map((line) => line.sources)).toEqual([[7100], [7100], [7101]])
})

test('events are explained, and unknown ones shown as they are', () => {
  const portOf = (runId: string) => (runId === 'abc' ? 7101 : undefined)
  const replica = 'slave 127.0.0.1:7001 127.0.0.1 7001 @ mymaster 127.0.0.1 7000'
  expect(explain('+vote-for-leader', 'abc 4', portOf)).toBe('votes for 7101 in epoch 4')
  expect(explain('+selected-slave', replica, portOf)).toBe('chooses replica 7001')
  expect(explain('+odown', `${DOWN} #quorum 2/2`, portOf)).toBe('master 7000 is down: 2 agree')
  const moved = 'mymaster 127.0.0.1 7000 127.0.0.1 7001'
  expect(explain('+switch-master', moved, portOf)).toBe('the master is 7001 now, it was 7000')
  expect(explain(heardEvent('+something-new'), 'a b c', portOf)).toBe('a b c')
})

test('a cluster that starts is starting, not dead', () => {
  const model = createModel({
    nodes: [{ ...PLACE, port: 7000 }],
    sentinels: [{ ...PLACE, port: 7100 }],
  })
  const [node] = model.nodes
  node!.state = shownState(node!.state, 'running')
  expect(lineOf(7000, draw(model))).toMatch(/◌ .* starting$/)
  expect(lineOf(7100, draw(model))).toMatch(/◌ .* starting$/)
  noteAnswer(node!)
  expect(node!.state).toBe('running')
  // Brought back: it has to load first.
  expect(shownState('dead', 'running')).toBe('starting')
  expect(shownState('paused', 'running')).toBe('running')
})

test('a Sentinel in TILT does not look as if it watched', () => {
  const model = healthy()
  model.sentinels[1]!.facts = { ...model.sentinels[1]!.facts!, isTilted: true }
  expect(lineOf(7101, draw(model))).toMatch(/▲ .* TILT, only looks$/)
})

test('on 60 columns roles, lag, PING and states are still there, and no command is cut', () => {
  const model = healthy()
  model.leader = { port: 7102, epoch: 3 }
  const lines = draw(model, { columns: 60, rows: 30, writes: WRITES })
  expect(lineOf(7001, lines)).toMatch(/● 7001 +replica +67 B +– +in sync$/)
  expect(lineOf(7102, lines)).toMatch(/● 7102 +7000 +2 +0\.4 ms +led epoch 3$/)
  expect(lines).toContain('redis-cli -p 7100 sentinel get-master-addr-by-name mymaster')
  const narrow = draw(model, { columns: 56, rows: 30 })
  expect(narrow).toContain('  redis-cli -p 7000')
  expect(narrow.join('\n')).not.toContain('get-master-addr')
})

test('the hints name a Sentinel that answers, and the master of now', () => {
  const model = healthy()
  expect(connectionHints(model)).toEqual([
    'http://127.0.0.1:7150/  # the page',
    'redis-cli -p 7100 sentinel get-master-addr-by-name mymaster',
    'redis-cli -p 7000',
    "new Redis({ name: 'mymaster', sentinels: [{ host: '127.0.0.1', port: 7100 }] })  // ioredis",
  ])
  Object.assign(model.nodes[0]!, { state: 'dead', facts: undefined })
  Object.assign(model.sentinels[0]!, { state: 'dead', facts: undefined })
  for (const one of model.sentinels.slice(1)) one.facts = { ...one.facts!, master: 7002 }
  expect(connectionHints(model).slice(0, 3)).toEqual([
    'http://127.0.0.1:7151/  # the page',
    'redis-cli -p 7101 sentinel get-master-addr-by-name mymaster',
    'redis-cli -p 7002',
  ])
})

test('the latency of writes is a line of marks: the higher the slower, a cross where none came through', () => {
  const line = draw(healthy(), { writes: WRITES }).find((one) => one.includes('LATENCY'))
  expect(line).toBe('  LATENCY  ▁▂▄××█')
})

describe('an incident is one line', () => {
  const REPLICA = 'slave 127.0.0.1:7001 127.0.0.1 7001 @ mymaster 127.0.0.1 7000'

  function failover(model: ClusterModel, startMs: number): void {
    const { incidents } = model
    const hear = (event: EventName, text: string, afterMs: number) =>
      heardOf(incidents, event, text, startMs + afterMs)
    hear('+sdown', DOWN, 250)
    hear('+sdown', DOWN, 260)
    hear('+odown', `${DOWN} #quorum 2/2`, 262)
    hear('+elected-leader', DOWN, 270)
    hear('+promoted-slave', REPLICA, 280)
    hear('+switch-master', 'mymaster 127.0.0.1 7000 127.0.0.1 7001', 281)
    // Another Sentinel misses the old master, now a replica of another group of words.
    hear('+sdown', 'slave 127.0.0.1:7000 127.0.0.1 7000 @ mymaster 127.0.0.1 7001', 1_000)
  }
  const incidentLine = (model: ClusterModel, columns = 100) => {
    const lines = draw(model, { columns, rows: 40 })
    return lines[lines.findIndex((line) => line.includes('INCIDENTS')) + 1]
  }

  test('from the harm to the first write on the new master, with what was lost', () => {
    const model = healthy()
    harmed(model.incidents, { wallMs: 5_000, cause: 'killed', port: 7000 })
    // It reaches the old master all the time.
    wrote(model.incidents, 7000, 5_100)
    failover(model, 5_000)
    wrote(model.incidents, 7001, 5_310)
    wrote(model.incidents, 7001, 5_330)
    lostWrites(model.incidents, 12)
    expect(incidentLine(model)?.trim().split(/ {2,}/)).toEqual([
      ...['● 1 7000 killed → 7001', '250 ms', '262 ms', '270 ms', '280 ms', '310 ms', '12'],
    ])
    expect(incidentLine(model, 60)?.trim().split(/ {2,}/)).toEqual([
      ...['● 1 7000→7001', '250', '270', '280', '310', '12'],
    ])
  })

  test('that no key began, and that no client saw, begins when it is noticed', () => {
    const model = healthy()
    failover(model, 5_000)
    expect(incidentLine(model)?.trim().split(/ {2,}/)).toEqual([
      ...['● 1 7000 → 7001', '0 ms', '12 ms', '20 ms', '30 ms', '–', '–'],
    ])
  })

  test('of a master that answers again before there was another ends as it began', () => {
    const model = healthy()
    heardOf(model.incidents, '+sdown', DOWN, 1)
    heardOf(model.incidents, '-sdown', DOWN, 9)
    expect(incidentLine(model)).toMatch(/○ 1 7000 → back +0 ms/)
    heardOf(model.incidents, '+sdown', DOWN, 20)
    expect(model.incidents.map(({ number }) => number)).toEqual([1, 2])
  })
})

describe('acknowledged writes are lost', () => {
  test('where the next master had less than was promised', () => {
    const writes = new PromisedWrites()
    for (let number = 101; number <= 110; number++) writes.acknowledged(number, number - 1)
    // 111 and 112 were never acknowledged; the new master has 104.
    expect(writes.acknowledged(113, 104)).toBe(6)
    expect(writes.acknowledged(114, 113)).toBe(0)
    // It is lost once: 114, and none of those that were lost before.
    expect(writes.acknowledged(115, 113)).toBe(1)
    expect(writes.acknowledged(116, 0)).toBe(6)
    expect(writes.lost).toBe(13)
  })

  test('never because an answer, and not the write, was lost', () => {
    const writes = new PromisedWrites()
    writes.acknowledged(1, 0)
    expect(writes.acknowledged(3, 2)).toBe(0)
    expect(writes.acknowledged(4, 3)).toBe(0)
  })
})

test('the latency of half a second is that of its slowest write, and what is not over is not judged', () => {
  const trail = new LatencyTrail(10_000)
  trail.acknowledged(10_100, 1)
  trail.acknowledged(10_400, 7)
  trail.acknowledged(11_600, 3)
  expect(trail.periods(11_700)).toEqual([7, undefined, undefined, 3])
  expect(trail.periods(12_100)).toEqual([7, undefined, undefined, 3])
  expect(trail.periods(12_600)).toEqual([7, undefined, undefined, 3, undefined])
  expect(trail.periods(10_000_000).length).toBeLessThanOrEqual(400)
  expect(sparkline([1, 3, 10, 30, 100, 300, 1_000, 1_001, undefined], 4)).toBe('▆▇█×')
})
