import { expect, test } from 'vitest'
import { HelloFacts } from '../../../src/engine/process/observer.ts'
import type { Occurrence } from '../../../src/history/happening.ts'

const ID = 'b'.repeat(40)

function heard(...payloads: string[]): string[] {
  const told: string[] = []
  const facts = new HelloFacts((hello, what) => {
    if (what.kind === 'hello') told.push(`${hello.host} ${what.configEpoch} ${what.master.host}`)
  })
  for (const payload of payloads) facts.heard(payload)
  return told
}

function hello(configEpoch: number, master: string, currentEpoch = configEpoch): string {
  return `10.208.0.9,26379,${ID},${currentEpoch},mymaster,${master},6379,${configEpoch}`
}

test('what every node passes on is told once', () => {
  expect(heard(hello(0, '10.208.0.1'), hello(0, '10.208.0.1'))).toEqual(['10.208.0.9 0 10.208.0.1'])
})

test('a hello that waited behind a partition is no step back', () => {
  expect(heard(hello(1, '10.208.0.2'), hello(0, '10.208.0.1'))).toEqual(['10.208.0.9 1 10.208.0.2'])
})

test('two masters of one epoch are both told', () => {
  expect(heard(hello(1, '10.208.0.2'), hello(1, '10.208.0.3'))).toHaveLength(2)
})

test('what is no hello is passed over', () => {
  expect(heard('hello, world', '')).toEqual([])
})

test('a late hello about another group is no step back of its Sentinel', () => {
  const other = `10.208.0.9,26379,${ID},4,other,10.208.0.5,6379,0`
  expect(heard(hello(5, '10.208.0.2'), other)).toEqual(['10.208.0.9 5 10.208.0.2'])
})

test('the current epoch of a hello is not told: a later vote may have been heard before it', () => {
  const told: Occurrence[] = []
  new HelloFacts((_hello, what) => told.push(what)).heard(hello(1, '10.208.0.2', 3))
  expect(told).toMatchObject([{ kind: 'hello', configEpoch: 1 }])
  expect(told[0]).not.toHaveProperty('currentEpoch')
})
