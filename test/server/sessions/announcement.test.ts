import { expect, test } from 'vitest'
import type { Reply } from '../../../src/resp/reply.ts'
import { Announcement } from '../../../src/server/sessions/announcement.ts'

/** A reply that counts how often its text is read. */
function counted() {
  const reads = { count: 0 }
  const reply: Reply = {
    kind: 'simple',
    get text() {
      reads.count++
      return 'news'
    },
  }
  return { reads, reply }
}

test('what a thousand sessions are told is put into words once for each protocol', () => {
  const { reads, reply } = counted()
  const told = new Announcement(reply)
  for (let session = 0; session < 1000; session++) {
    expect(told.textFor(session % 2 === 0 ? 2 : 3)).toBe('+news\r\n')
  }
  expect(reads.count).toBe(2)
})

test('sessions of each protocol get their own words', () => {
  const told = new Announcement({ kind: 'push', items: [{ kind: 'null' }] })
  expect(told.textFor(3)).toBe('>1\r\n_\r\n')
  expect(told.textFor(2)).toBe('*1\r\n$-1\r\n')
})

test('a long message is written by each session in parts', () => {
  const long = { kind: 'bulk', bytes: 'x'.repeat(1e6) } as const
  expect(new Announcement({ kind: 'push', items: [long] }).isLong).toBe(true)
  expect(new Announcement({ kind: 'simple', text: 'short' }).isLong).toBe(false)
})
