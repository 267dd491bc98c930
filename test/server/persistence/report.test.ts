/** What INFO persistence says of a snapshot while it is being written. */
import { expect, test } from 'vitest'
import { SlowDisk } from '../../support/slow-disk.ts'

const KEYS = 2000
const PROGRESS = [
  'current_fork_perc',
  'current_save_keys_processed',
  'current_save_keys_total',
] as const

test.each(['BGSAVE', 'BGREWRITEAOF'])(
  '%s: how far it is, and nothing once it has ended',
  (line) => {
    const node = new SlowDisk({ save: '' })
    const client = node.client()
    for (let key = 0; key < KEYS; key++) client.send('SET', `key ${key}`, 'x'.repeat(500))
    node.disk.isSlow = true
    client.say(line)
    node.advance(1)
    const seen: number[] = []
    for (; node.asked !== undefined; node.answer()) {
      const [percent, taken, total] = PROGRESS.map((field) => Number(node.info(field)))
      if (total === 0) continue
      expect(total).toBe(KEYS)
      expect(percent).toBeCloseTo((100 * (taken ?? 0)) / KEYS, 1)
      seen.push(taken ?? 0)
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(new Set(seen).size).toBeGreaterThan(5)
    expect(seen.at(-1)).toBe(KEYS)
    expect(PROGRESS.map((field) => node.info(field))).toEqual(['0.00', '0', '0'])
  },
)
