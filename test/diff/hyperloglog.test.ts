/**
 * The same random history of HyperLogLogs on both servers: every reply and every value must be the same
 * bytes. In the sparse form one set of registers can be written in many ways, so it is the history that
 * decides which; small limits bring about the change to the dense form again and again.
 */
import { describe, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import { hasRedisServer } from '../support/real-nodes.ts'
import { sized } from '../support/sized.ts'
import { bothServers } from '../support/test-nodes.ts'
import { transcript } from '../support/transcript.ts'

const KEYS = Array.from({ length: 5 }, (_, index) => `k${index}`)

function history(rng: Rng, length: number): string[][] {
  const commands: string[][] = []
  for (let n = 0; n < length; n++) commands.push(...step(rng))
  return [...commands, ...KEYS.map((key) => ['GET', key])]
}

function step(rng: Rng): string[][] {
  const dice = rng.below(100)
  const keys = Array.from({ length: 1 + rng.below(3) }, () => rng.pick(KEYS))
  if (dice < 80) return [['PFADD', rng.pick(KEYS), ...elements(rng)]]
  if (dice < 88) return [['PFCOUNT', ...keys]]
  if (dice < 95) return [['PFMERGE', ...keys]]
  if (dice < 97) return [['DEL', rng.pick(KEYS)]]
  // Few bytes, so that the limit is met exactly now and then, or so many that runs come to lie close.
  const limit = rng.chance(1, 3) ? 30 + rng.below(200) : 16_000
  return [
    ['CONFIG', 'SET', 'hll-sparse-max-bytes', String(limit)],
    ['DEBUG', 'DIGEST'],
  ]
}

function elements(rng: Rng): string[] {
  const range = 10 ** (1 + rng.below(6))
  return Array.from({ length: 1 + rng.below(40) }, () => rng.below(range).toString(16))
}

describe.skipIf(!hasRedisServer)('against a real redis-server', () => {
  const nodes = bothServers({ 'enable-debug-command': 'yes' })

  for (const seed of sized(['one'], ['one', 'two', 'three', 'four'])) {
    test(`a history of HyperLogLogs leaves the same bytes (seed ${seed})`, async () => {
      const commands = history(createRng(seed), 3000)
      const seen: string[][] = []
      for (const { client, port } of nodes) {
        await client.flushall()
        await client.config('SET', 'hll-sparse-max-bytes', '3000')
        seen.push(await transcript(port, commands))
      }
      const [ours = [], theirs = []] = seen
      const at = theirs.findIndex((line, index) => line !== ours[index])
      expect(at < 0 ? 'the same' : `line ${at}: ${ours[at]} instead of ${theirs[at]}`).toBe(
        'the same',
      )
    })
  }
})
