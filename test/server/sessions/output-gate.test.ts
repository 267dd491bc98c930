/** The gate in front of the connections: nobody hears of what is not kept. */
import { expect, test } from 'vitest'
import { OutputGate } from '../../../src/server/sessions/output-gate.ts'
import { gatePort } from '../../support/gate-port.ts'

interface Stage {
  readonly gate: OutputGate
  readonly left: string[]
}

function newStage(): Stage {
  const left: string[] = []
  return { gate: new OutputGate(gatePort(left)), left }
}

test('open, it lets everything pass at once', () => {
  const { gate, left } = newStage()
  gate.beginTurn()
  gate.write(1, 'a')
  gate.close(1)
  expect(left).toEqual(['1:a', '1:closed'])
  expect(gate.queuedBytes(1)).toBe(100)
})

test('what a turn writes leaves when the turn is let through, in order, closing included', () => {
  const { gate, left } = newStage()
  gate.hold()
  gate.beginTurn()
  gate.write(1, 'a')
  gate.write(2, 'b')
  gate.close(1)
  expect(left).toEqual([])
  expect([gate.queuedBytes(1), gate.queuedBytes(2), gate.queuedBytes(3)]).toEqual([101, 101, 100])
  gate.letThrough(gate.turn)
  expect(left).toEqual(['1:a', '2:b', '1:closed'])
  expect(gate.queuedBytes(1)).toBe(100)
  gate.write(2, 'c')
  expect(left.at(-1)).toBe('2:c')
})

test('a later turn waits behind an earlier one, and leaves alone', () => {
  const { gate, left } = newStage()
  gate.hold()
  gate.beginTurn()
  gate.write(1, 'a')
  expect(gate.isBehind).toBe(false)
  gate.beginTurn()
  expect(gate.isBehind).toBe(true)
  gate.write(1, 'b')
  gate.letThrough(1)
  expect(left).toEqual(['1:a'])
  expect(gate.queuedBytes(1)).toBe(101)
  gate.letThrough(1)
  gate.letThrough(2)
  expect(left).toEqual(['1:a', '1:b'])
})

test('holding takes nothing back that was let through', () => {
  const { gate, left } = newStage()
  gate.beginTurn()
  gate.write(1, 'a')
  gate.hold()
  gate.write(1, 'b')
  expect(left).toEqual(['1:a'])
  gate.open()
  expect(left).toEqual(['1:a', '1:b'])
})

test('sealed, it drops what waits and whatever comes, but lets the process end', () => {
  const { gate, left } = newStage()
  gate.hold()
  gate.beginTurn()
  gate.write(1, 'a')
  gate.seal()
  gate.write(1, 'b')
  gate.close(1)
  gate.letThrough(gate.turn)
  gate.open()
  gate.exit(1)
  expect(left).toEqual(['exit 1'])
})

test('a connection that is closed at once loses what waits for it, and the others nothing', () => {
  const { gate, left } = newStage()
  gate.hold()
  gate.beginTurn()
  gate.write(1, 'a')
  gate.write(2, 'b')
  gate.close(1, true)
  expect([left, gate.queuedBytes(1)]).toEqual([['1:closed'], 100])
  gate.letThrough(gate.turn)
  expect(left).toEqual(['1:closed', '2:b'])
})
