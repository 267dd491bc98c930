/** What test/diff cannot compare with Redis: chance, and cursors of large sets. */
import { describe, expect, test } from 'vitest'
import { RequestDecoder } from '../../../src/resp/request-decoder.ts'
import { NodeHarness, type TestClient } from '../../support/node-harness.ts'

function withMembers(count: number): TestClient {
  const client = new NodeHarness().client()
  const pairs = Array.from({ length: count }, (_, n) => [String(n), `m${n}`])
  client.send('ZADD', 'z', ...pairs.flat())
  return client
}

/** The words of a reply of bulk strings. */
function words(reply: string): string[] {
  const decoder = new RequestDecoder()
  decoder.push(reply)
  const request = decoder.next()
  return request?.kind === 'command' ? [...request.argv] : []
}

test.each([
  ['of one score, by the command', 'ZADD z 1 a 1 b 1 c', 'ZREMRANGEBYLEX z - [b'],
  ['of several scores, by their names', 'ZADD z 1 b 2 a 3 c', 'ZREM z b a'],
])('ZREMRANGEBYLEX tells replicas of members %s', (_how, add, told) => {
  const harness = new NodeHarness()
  const client = harness.client()
  const replica = harness.replica()
  client.say(add)
  expect(client.say('ZREMRANGEBYLEX z - [b')).toBe(':2\r\n')
  expect(replica.told()).toEqual(['SELECT 0', add, told])
})

const MIXED = 'ZADD z 1 b 2 a 3 c'

test.each([
  ['of one score, as it came', 'ZADD z 1 a 1 b 1 c', 'd z - [b BYLEX', 'd z - [b BYLEX'],
  ['of several scores, in ranks', MIXED, 'd z - [b BYLEX', 'd z 0 1'],
  ['of several scores, limited from behind', MIXED, 'd z [b - BYLEX REV LIMIT 0 1', 'd z 1 1'],
  ['of several scores that finds none', MIXED, 'z z + - BYLEX', 'z z 1 0'],
])('ZRANGESTORE BYLEX tells replicas of members %s', (_how, add, given, told) => {
  const harness = new NodeHarness()
  const client = harness.client()
  const replica = harness.replica()
  client.say(add)
  client.say(`ZRANGESTORE ${given}`)
  expect(replica.told()).toEqual(['SELECT 0', add, `ZRANGESTORE ${told}`])
})

describe('ZRANDMEMBER', () => {
  test('is fair', () => {
    const client = withMembers(200)
    const counts = new Map<string, number>()
    for (const member of words(client.say('ZRANDMEMBER z -20000'))) {
      counts.set(member, (counts.get(member) ?? 0) + 1)
    }
    expect(counts.size).toBe(200)
    expect(Math.max(...counts.values())).toBeLessThan(160)
  })

  test.each([1, 5, 30, 99, 100, 200])('gives %d different members with their scores', (count) => {
    const client = withMembers(100)
    const drawn = words(client.say(`ZRANDMEMBER z ${count} WITHSCORES`))
    const members = drawn.filter((_, at) => at % 2 === 0)
    expect(new Set(members).size).toBe(Math.min(count, 100))
    expect(members.every((member, at) => member === `m${drawn[2 * at + 1]}`)).toBe(true)
  })

  test('does not draw so often that the reply would take all memory', () => {
    expect(withMembers(1).say('ZRANDMEMBER z -9000000000000')).toBe(
      '-ERR value is out of range\r\n',
    )
  })
})

describe('ZSCAN', () => {
  test('meets every member that stays in a set that was small when it began', () => {
    const client = new NodeHarness().client()
    const name = (n: number) => `${n}-${'long'.repeat(20)}`
    for (let n = 0; n < 30; n++) client.say(`ZADD z ${n} ${name(n)}`)
    const seen = new Set<string>()
    let cursor = '0'
    for (let round = 0; round === 0 || cursor !== '0'; round++) {
      const [, , next = '', list = ''] = /^\*2\r\n(\$\d+)\r\n(\d+)\r\n(.*)$/s.exec(
        client.say(`ZSCAN z ${cursor} COUNT 4`),
      )!
      const found = words(list).filter((_, at) => at % 2 === 0)
      expect(found.filter((member) => Number.parseInt(member, 10) > 29 - round)).toEqual([])
      for (const member of found) seen.add(member)
      cursor = next
      client.say(`ZREM z ${name(29 - round)}`)
      client.say(`ZADD z -1 -${name(2 * round + 1)} -1 -${name(2 * round + 2)}`)
      if (round === 2) expect(cursor).not.toBe('0')
    }
    const stayed = Array.from({ length: 15 }, (_, n) => name(n))
    expect(stayed.filter((member) => !seen.has(member))).toEqual([])
  })

  test('meets every member that stays, with its score of that moment', () => {
    const client = withMembers(500)
    const seen = new Map<string, string>()
    let cursor = '0'
    let round = 0
    do {
      const [, , next = '', list = ''] = /^\*2\r\n(\$\d+)\r\n(\d+)\r\n(.*)$/s.exec(
        client.say(`ZSCAN z ${cursor} COUNT 20`),
      )!
      const found = words(list)
      for (let at = 0; at < found.length; at += 2) seen.set(found[at]!, found[at + 1]!)
      cursor = next
      client.say(`ZREM z m${round}`)
      client.say(`ZADD z -5 m${499 - round} 7 new${round}`)
      round++
    } while (cursor !== '0')
    expect(round).toBeGreaterThan(10)
    const stayed = Array.from({ length: 500 - round }, (_, n) => `m${n + round}`)
    expect(stayed.filter((member) => !seen.has(member))).toEqual([])
    expect(seen.get('m499')).toBe('-5')
  })
})

test('a set that grows beyond the packed form and one loaded at once have the same digest', () => {
  const [slowly, atOnce] = [new NodeHarness().client(), withMembers(300)]
  for (let n = 299; n >= 0; n--) slowly.say(`ZADD z ${n} m${n}`)
  expect(slowly.say('DEBUG DIGEST')).toBe(atOnce.say('DEBUG DIGEST'))
})

test('MEMORY USAGE grows with the members', () => {
  const usage = (count: number) => Number(withMembers(count).say('MEMORY USAGE z').slice(1))
  expect(usage(1)).toBeLessThan(2_000)
  expect(usage(1000) - usage(1)).toBeGreaterThan(30_000)
})

test.each([
  ['ZRANGE z -inf +inf BYSCORE LIMIT 1 2', ['m1', 'm2']],
  ['ZRANGE z +inf -inf BYSCORE REV LIMIT 1 2', ['m8', 'm7']],
  ['ZREVRANGEBYSCORE z 5 (2 LIMIT 0 -1', ['m5', 'm4', 'm3']],
  ['ZRANGEBYSCORE z 7 +inf LIMIT 2 9', ['m9']],
  ['ZRANGEBYSCORE z 7 +inf LIMIT -1 9', []],
])('%s passes over elements from the end where it begins', (line, members) => {
  expect(words(withMembers(10).say(line))).toEqual(members)
})
