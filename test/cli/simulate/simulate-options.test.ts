import { expect, test } from 'vitest'
import { seeds } from '../../../src/cli/options.ts'
import { progressText } from '../../../src/cli/simulate/simulate.ts'
import {
  configurationsOf,
  conflictIn,
  DEFAULT_SEEDS,
  replayCommand,
  type SimulateOptions,
} from '../../../src/cli/simulate/simulate-options.ts'

const OPTIONS: SimulateOptions = { seeds: { first: 1, last: 200 }, profile: 'lan', rate: 20 }

test('a number of histories means the seeds from 1 on', () => {
  expect(seeds('50')).toEqual({ first: 1, last: 50 })
  expect(seeds('51..60')).toEqual({ first: 51, last: 60 })
  expect(() => seeds('0')).toThrow('whole number')
})

test('one history and many exclude each other', () => {
  const one = { ...OPTIONS, seed: '7', seeds: DEFAULT_SEEDS }
  expect(conflictIn(one)).toBeUndefined()
  expect(conflictIn({ ...one, seeds: seeds('200') })).toMatchObject({ hint: 'leave one out' })
  expect(conflictIn({ ...OPTIONS, write: 'x.yml' })).toMatchObject({ hint: 'add --seed N' })
})

test('what is compared differs in what was given again, and in nothing else', () => {
  const server = ['redis.conf']
  expect(configurationsOf('a.yml', { ...OPTIONS, server })).toHaveLength(1)
  expect(configurationsOf('a.yml', { ...OPTIONS, server, compare: 'b.yml' })[1]).toEqual({
    path: 'b.yml',
    servers: server,
  })
  expect(configurationsOf('a.yml', { ...OPTIONS, server, compareServer: ['b.conf'] })[1]).toEqual({
    path: 'a.yml',
    servers: ['b.conf'],
  })
})

test('the command for a replay has every option that changes the histories', () => {
  expect(replayCommand('a.yml', OPTIONS, '7')).toBe('vedette simulate a.yml --seed 7')
  const all = { profile: 'wan', server: ['r.conf', 's.conf'], compare: 'b.yml', rate: 5 } as const
  const more = { sentinels: 5, replicas: 1, layout: 'apart', compareServer: ['t.conf'] } as const
  expect(replayCommand('a.yml', { ...OPTIONS, ...all, ...more }, '7')).toBe(
    'vedette simulate a.yml --server r.conf --server s.conf --compare b.yml ' +
      '--compare-server t.conf --profile wan --sentinels 5 --replicas 1 --layout apart --rate 5 --seed 7',
  )
})

test('progress says how many there are, and how long they take', () => {
  expect(progressText(50, 200, 10_000)).toBe('50 of 200 histories, about 30 s left')
})
