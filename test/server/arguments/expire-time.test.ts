/** Moments at the end of what 64 bits can count. */
import { describe, expect, test } from 'vitest'
import { NodeHarness } from '../../support/node-harness.ts'

const LAST = '9223372036854775807'
/** The largest double that is still an integer of 64 bits. */
const KEPT = '9223372036854774784'

describe('the last moment of 64 bits', () => {
  for (const line of [`PEXPIREAT k ${LAST}`, `GETEX k PXAT ${LAST}`, `SET k v PXAT ${LAST}`]) {
    test(`is kept as one that travels: ${line}`, () => {
      const harness = new NodeHarness()
      const client = harness.client()
      const replica = harness.replica()
      client.say('SET k v')
      client.say(line)
      expect(client.say('PEXPIRETIME k')).toBe(`:${KEPT}\r\n`)
      expect(BigInt(/\d+/.exec(client.say('PTTL k'))![0]) <= BigInt(KEPT)).toBe(true)
      expect(replica.told().at(-1)).toContain(KEPT)
      expect(client.say('EXISTS k')).toBe(':1\r\n')
    })
  }

  const REFUSED = [
    'PEXPIREAT k 9223372036854775808',
    'EXPIREAT k 9223372036854776',
    `PEXPIRE k ${LAST}`,
    `EXPIRE k ${LAST}`,
    `SET k v PX ${LAST}`,
    `SET k v EXAT ${LAST}`,
    'SETEX k 9223372036854775 v',
  ]
  for (const line of REFUSED) {
    test(`cannot be passed: ${line}`, () => {
      const client = new NodeHarness().client()
      client.say('SET k v')
      expect(client.say(line)).toMatch(/^-ERR (invalid expire time|value is not an integer)/)
      expect(client.say('TTL k')).toBe(':-1\r\n')
    })
  }

  test('goes through RDB without becoming the first', () => {
    const harness = new NodeHarness()
    const client = harness.client()
    client.say('SET k v')
    client.say(`PEXPIREAT k ${LAST}`)
    const replica = harness.client()
    replica.say('PSYNC ? -1')
    harness.advance(3000)
    // Least significant byte first; a highest bit would make it negative.
    expect(replica.take()).toContain('\xfc\x00\xfc\xff\xff\xff\xff\xff\x7f')
  })
})
