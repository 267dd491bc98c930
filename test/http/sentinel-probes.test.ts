import { describe, expect, test } from 'vitest'
import { utf8Bytes } from '../../src/base/utf8.ts'
import type { Group, State } from '../../src/core/state.ts'
import { askedNode } from '../../src/http/asked-node.ts'
import type { ProbeAnswer, RoleProbe } from '../../src/http/probe.ts'
import { answerProbe, findGroup } from '../../src/http/sentinel-probes.ts'
import { SentinelStage } from '../support/sentinel-stage.ts'

const MASTER = '10.0.0.1:6379'
const REPLICA = '10.0.0.2:6379'

function ask(
  stage: SentinelStage,
  probe: RoleProbe,
  node: string | undefined,
  rest: { readonly lag?: string; readonly group?: string; readonly header?: string } = {},
): ProbeAnswer {
  const { lag, group, header } = rest
  const asked = askedNode(node, header)
  return stage.look((turn) => answerProbe(turn, { probe, group, node: asked, lag }))
}

function settled(): SentinelStage {
  const stage = new SentinelStage()
  stage.run(15_000)
  return stage
}

describe.each([
  ['primary', 200, 503],
  ['read-write', 200, 503],
  ['leader', 200, 503],
  ['replica', 503, 200],
  ['read-only', 200, 200],
] as const)('/%s', (probe, ofMaster, ofReplica) => {
  test(`is ${ofMaster} for the master and ${ofReplica} for a replica`, () => {
    const stage = settled()
    expect(ask(stage, probe, MASTER).status).toBe(ofMaster)
    expect(ask(stage, probe, REPLICA).status).toBe(ofReplica)
  })
})

test('a replica of a strict group is no server of reads', () => {
  const voters = [1, 2, 3].map((n) => `10.0.0.${n}:6379`)
  const stage = new SentinelStage({ group: { replication: 'strict', voters } })
  stage.run(15_000)
  for (const probe of ['replica', 'read-only'] as const) {
    expect(ask(stage, probe, REPLICA)).toMatchObject({
      status: 503,
      body: { text: 'replicas of a strict group answer no reads' },
    })
  }
})

test('without a node the question is refused: a yes to every line would split the writes', () => {
  expect(ask(settled(), 'primary', undefined)).toMatchObject({
    status: 400,
    body: { text: expect.stringContaining('?node=10.0.0.1:6379') },
  })
})

test('HAProxy names the node by its own header', () => {
  const state = (port: number) =>
    `UP 2/3; address=10.0.0.1; port=${port}; name=redis/R1; node=lb; weight=1/2; scur=0/1; qcur=0`
  const stage = settled()
  expect(ask(stage, 'primary', undefined, { header: state(6379) }).status).toBe(200)
  expect(ask(stage, 'primary', undefined, { header: state(6380) }).status).toBe(503)
  expect(ask(stage, 'primary', undefined, { header: 'UP 2/3' }).status).toBe(400)
})

test('a group whose name is no UTF-8 is found by what documents show of it', () => {
  const { state } = settled()
  const [group] = [...state.groups.values()] as [Group]
  const config = { ...group.config, name: 'gr\xf6sse' }
  const groups = new Map([[config.name, { ...group, config }]])
  const found = findGroup({ ...state, groups } as State, utf8Bytes('grösse'))
  expect(found).toMatchObject({ config: { name: 'gr\xf6sse' } })
  expect(findGroup(state, utf8Bytes('grösse'))).toMatchObject({ status: 404 })
})

test('an unknown group is 404 and names those that there are', () => {
  const { status, body } = ask(settled(), 'primary', MASTER, { group: 'h' })
  expect([status, body.text]).toEqual([404, 'no group is called h; it watches g'])
})

test('with several groups and none named the answer says how to name one, in ASCII: texts are bytes', () => {
  const stage = settled()
  stage.ask('SENTINEL', 'MONITOR', 'h', '10.0.9.1', '6379', '2')
  expect(ask(stage, 'primary', MASTER)).toMatchObject({
    status: 400,
    body: { text: 'name the group, as in ?group=NAME or /groups/NAME/...; it watches g, h' },
  })
})

test('a Sentinel that is cut off from the others stops calling the master by that name', () => {
  const stage = settled()
  for (const peer of ['peer1', 'peer2']) stage.part(peer).mood = 'gone'
  stage.run(1_001)
  expect(ask(stage, 'primary', MASTER)).toMatchObject({
    status: 503,
    body: { text: 'only 1 of 3 Sentinels confirm this view at present' },
  })
})

test('a master that is down is 503, and after the switch the promoted replica is 200', () => {
  const stage = settled()
  for (const peer of ['peer1', 'peer2']) stage.part(peer).seesDown = true
  stage.kill('master')
  stage.until('+sdown')
  expect(ask(stage, 'primary', MASTER).status).toBe(503)
  stage.until('+switch-master')
  stage.run(3_000)
  const { state } = stage.look((turn) => turn)
  const { host, port } = [...state.groups.values()][0]?.master ?? { host: '', port: 0 }
  expect(ask(stage, 'primary', `${host}:${port}`).status).toBe(200)
  expect(ask(stage, 'primary', MASTER).status).toBe(503)
})

test('a master that says it is a replica is 503', () => {
  const stage = settled()
  stage.part('master').master = REPLICA
  stage.run(11_000)
  expect(ask(stage, 'primary', MASTER).status).toBe(503)
})

test('lag is in bytes with or without a unit; a replica beyond it is 503', () => {
  const stage = new SentinelStage()
  stage.part('master').moreInfo.push('master_repl_offset:3000')
  stage.run(15_000)
  // The master on the stage lists its replicas with offset 1.
  expect(ask(stage, 'replica', REPLICA, { lag: '3kB' }).status).toBe(200)
  expect(ask(stage, 'replica', REPLICA, { lag: '2998' }).status).toBe(503)
  expect(ask(stage, 'replica', REPLICA, { lag: '1day' }).status).toBe(400)
})

test('a replica with a broken link, or of another master, takes no reads', () => {
  const stage = settled()
  stage.part('replica1').linkUp = false
  stage.run(11_000)
  expect(ask(stage, 'replica', REPLICA).status).toBe(503)
})
