import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { explain } from '../../src/cli/up/explain.ts'
import { fold, speakers } from '../../src/cli/up/fold.ts'
import { drawLive, type Frame } from '../../src/cli/up/live-text.ts'
import {
  type ClusterModel,
  createModel,
  masterPort,
  missing,
  note,
} from '../../src/cli/up/model.ts'

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
    sentinel.facts = { master: 7000, replicas: 2, peers: 2, configEpoch: 0, flags: ['master'] }
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

function draw(model: ClusterModel, frame: Partial<Frame> = {}): string[] {
  return stripVTControlCharacters(drawLive(model, { ...FRAME, ...frame })).split('\n')
}

function lineOf(port: number, lines: readonly string[]): string {
  return lines.find((line) => line.includes(`127.0.0.1:${port}`)) ?? ''
}

test('roles, whom they follow, offsets and lag stand in one table', () => {
  const lines = draw(healthy())
  expect(lineOf(7000, lines)).toMatch(/● 127\.0\.0\.1:7000 +master +– +1,234,567 +– +2 replicas/)
  expect(lineOf(7001, lines)).toMatch(/● 127\.0\.0\.1:7001 +replica +7000 +1,234,500 +67 +in sync/)
  expect(lineOf(7100, lines)).toMatch(/● 127\.0\.0\.1:7100 +7000 +0 +2 +2 +watching/)
})

test('the picture fits the terminal, however much has happened', () => {
  const model = healthy()
  for (let at = 0; at < 200; at++) {
    const text = `something very long happened ${'x'.repeat(200)} ${at}`
    note(model, { wallMs: at, source: 7100, event: '+failover-state-send-slaveof-noone', text })
  }
  const writes = { acknowledged: 12_345, silentMs: 1_500, longestSilenceMs: 1_500 }
  for (const [columns, rows] of [
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
  const writes = { acknowledged: 12_345, silentMs: 900, longestSilenceMs: 1_052 }
  const line = draw(healthy(), { writes }).find((one) => one.includes('WRITES'))
  expect(line).toContain('12,345 silent for 900 ms')
  expect(line).toContain('longest silence 1052 ms')
})

test('a cluster is ready when nothing is missing', () => {
  const model = healthy()
  expect(missing(model)).toBeUndefined()
  model.sentinels[1]!.facts = { ...model.sentinels[1]!.facts!, peers: 1 }
  expect(missing(model)).toBe('Sentinel 7101 does not know every other')
  model.nodes[2]!.facts = { ...model.nodes[2]!.facts!, isInSync: false }
  expect(missing(model)).toBe('7002 is not in sync with its master')
})

const DOWN = 'master mymaster 127.0.0.1 7000'

function say(model: ClusterModel, source: number, event: string, text: string, wallMs = 0): void {
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
  expect(explain('+something-new', 'a b c', portOf)).toBe('a b c')
})
