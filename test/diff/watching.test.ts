/**
 * MONITOR, SLOWLOG and CLIENT, side by side with a real redis-server: the same lines and entries, apart from
 * moments, durations and ports.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { converse, type Heard, parseSteps } from '../support/conversation.ts'
import { hasRedisServer } from '../support/real-nodes.ts'
import { bothServers } from '../support/test-nodes.ts'

describe.skipIf(!hasRedisServer)('watching commands (needs redis-server)', () => {
  const servers = bothServers({ 'enable-debug-command': 'yes' })

  for (const [name, mask] of [
    ['monitor', withoutTimes],
    ['slowlog', withoutDurations],
    ['clients', withoutAddresses],
    ['expiry-order', asItIs],
    ['output-limits', endOnly],
    ['failed-calls', countsOnly],
  ] as const) {
    test(`${name} tells the same`, async () => {
      const text = readFileSync(new URL(`./${name}.txt`, import.meta.url), 'latin1')
      const steps = parseSteps(text)
      const [ours, theirs] = await Promise.all(
        servers.map(async ({ port }) => {
          const heard = await converse(port, steps)
          return steps.map((step, at) => ({ ...step, heard: masked(heard[at] ?? {}, mask) }))
        }),
      )
      expect(ours).toEqual(theirs)
    })
  }
})

function masked(heard: Heard, mask: (text: string) => string): Heard {
  return Object.fromEntries(Object.entries(heard).map(([name, text]) => [name, mask(text)]))
}

/** The moments of MONITOR's lines, what CLIENT LIST says of this machine, and HELLO. */
function withoutTimes(text: string): string {
  return text
    .replace(/\+\d{10}\.\d{6} /g, '+<now> ')
    .replace(/\*2\r\n\$10\r\n\d{10}\r\n\$\d\r\n\d+/g, '<time>')
    .replace(/^:\d{3}\r/g, ':<count>\r')
    .replace(/[$=]\d+\r\n(txt:)?id=.*flags=(\w+) .*/g, '<client $2>')
    .replace(/\$4\r\nmode.*/s, '')
}

/** Ids, moments and durations of the entries. */
function withoutDurations(text: string): string {
  return text
    .replace(/\*6\r\n:\d+\r\n:\d{10}\r\n:\d+\r\n/g, '<entry>\r\n')
    .replace(/\$\d+\r\n127\.0\.0\.1/g, '127.0.0.1')
    .replace(/(calls\r\n:\d+\r\n\$14\r\nhistogram_usec\r\n).*/s, '$1')
    .replace(/\$4\r\nmode.*/s, '')
}

/** Of long answers, how they end. */
function endOnly(text: string): string {
  return text.length > 1000 ? text.slice(-20) : text
}

/** Of INFO commandstats the counts, in the order of the names. */
function countsOnly(text: string): string {
  if (!text.includes('cmdstat_')) return text
  const lines = text.match(/cmdstat_.*/g) ?? []
  return lines
    .map((line) => line.replace(/usec=.*?,rej/, 'rej'))
    .sort()
    .join('\n')
}

function asItIs(text: string): string {
  return text
}

/** What a line says that both count alike: no ids, ports, times, or sizes of buffers. */
function withoutAddresses(text: string): string {
  return text
    .replace(/[$=]\d+\r\n((txt:)?id=)/g, '$1')
    .replace(
      / (id|addr|laddr|fd|age|idle|qbuf|qbuf-free|argv-mem|rbs|rbp|obl|oll|omem|tot-mem|redir)=\S*/g,
      '',
    )
    .replace(/id=\d+/g, 'id')
    .replace(/ lib-name=\S* lib-ver=\S*/g, '')
    .replace(/multi-mem=[1-9]\d*/g, 'multi-mem=some')
    .replace(/\$4\r\nmode.*/s, '')
}
