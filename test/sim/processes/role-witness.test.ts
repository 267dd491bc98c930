import { expect, test } from 'vitest'
import type { NodeRole } from '../../../src/history/happening.ts'
import { RoleWitness } from '../../../src/sim/processes/role-witness.ts'

const MASTER: NodeRole = { kind: 'master' }

function replicaOf(host: string, isLinkUp: boolean): NodeRole {
  return { kind: 'replica', master: { host, port: 6379 }, isLinkUp }
}

function createWitness() {
  const told: NodeRole[] = []
  return { told, witness: new RoleWitness((role) => told.push(role)) }
}

test('a change is told at once, and that the link stands when the node is asked', () => {
  const { told, witness } = createWitness()
  witness.follows('10.0.0.1 6379')
  witness.asked()(replicaOf('10.0.0.1', true))
  expect(told).toEqual([replicaOf('10.0.0.1', false), replicaOf('10.0.0.1', true)])
})

test('what is so already is not told again', () => {
  const { told, witness } = createWitness()
  witness.follows('')
  witness.follows('')
  witness.asked()(MASTER)
  expect(told).toEqual([MASTER])
})

test('an answer from before a change of role is no news', () => {
  const { told, witness } = createWitness()
  witness.follows('10.0.0.1 6379')
  const answered = witness.asked()
  witness.follows('')
  answered(replicaOf('10.0.0.1', true))
  expect(told.at(-1)).toEqual(MASTER)
})

test('an answer from an earlier link to the same master does not make the new one stand', () => {
  const { told, witness } = createWitness()
  witness.follows('10.0.0.1 6379')
  const answered = witness.asked()
  witness.follows('10.0.0.2 6379')
  witness.follows('10.0.0.1 6379')
  answered(replicaOf('10.0.0.1', true))
  expect(told.at(-1)).toEqual(replicaOf('10.0.0.1', false))
})

test('a new life is not spoken for by what the one before answered', () => {
  const { told, witness } = createWitness()
  witness.follows('10.0.0.1 6379')
  const answered = witness.asked()
  witness.forget()
  answered(replicaOf('10.0.0.1', true))
  expect(told).toEqual([replicaOf('10.0.0.1', false)])
})
