/** Groups that operators remove, add again and reset while other things go wrong. */
import { expect, test } from 'vitest'
import { drawRun } from '../../src/fuzz/draw/draw.ts'
import { numbers } from '../../src/fuzz/odds.ts'
import { FIRST_FAULT_MS } from '../../src/fuzz/plan.ts'
import { runSeed, scenarioOf } from '../../src/fuzz/run.ts'
import { sized } from '../support/sized.ts'

const SEEDS = numbers(40).map(String)
const PLANS = SEEDS.map((seed) => drawRun({ seed, profile: 'operators', detection: undefined }))

test('drawn runs are scenarios that the parser takes', () => {
  for (const plan of PLANS) expect(scenarioOf(plan, 'x').topology.groups.length).toBeGreaterThan(0)
})

test('each order is drawn after the first fault, and the place of a replica is given away', () => {
  const orders = PLANS.flatMap(({ faults }) => faults).flatMap((fault) => {
    return fault.kind === 'command' && fault.fromMs >= FIRST_FAULT_MS ? [fault.argv] : []
  })
  const said = orders.map(([, verb, group]) => `${verb} ${group}`)
  for (const order of ['REMOVE mymaster', 'MONITOR mymaster', 'RESET mymaster', 'MONITOR other']) {
    expect(said.filter((one) => one === order).length).toBeGreaterThan(5)
  }
})

test('in a third of the runs the master is monitored by the name of its host, and a host moves after that', () => {
  const named = PLANS.filter(({ faults }) =>
    faults.some((one) => one.kind === 'command' && one.argv.includes('resolve-hostnames')),
  )
  expect(named.length).toBeGreaterThan(5)
  for (const { faults, topology } of named) {
    const [by] = faults.filter(
      (one) => one.kind === 'command' && one.argv[3] === topology.nodes[0]?.host,
    )
    const moves = faults.filter(
      ({ kind, fromMs }) => kind === 'readdress' && fromMs > (by?.fromMs ?? Infinity),
    )
    expect(moves.length).toBeGreaterThan(0)
  }
})

test('drawn runs hold', async () => {
  for (const seed of SEEDS.slice(0, sized(2, 10))) {
    const { failure } = await runSeed(seed, { profile: 'operators' })
    expect([seed, failure]).toEqual([seed, undefined])
  }
})
