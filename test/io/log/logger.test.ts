import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AnnouncedEvent } from '../../../src/core/announced-event.ts'
import { openLogger } from '../../../src/io/log/logger.ts'
import { logfmtLine, redisLine } from '../../../src/io/log/redis-line.ts'
import { scratchFolder } from '../../support/scratch.ts'

test('the level can be changed while the log is written, in both directions', async () => {
  const folder = scratchFolder('log')
  const file = join(folder, 'log')
  const logger = await openLogger({ level: 'warning', file, program: 'sentinel', port: 1 })
  logger.log('notice', 'one')
  logger.setLevel('debug')
  logger.log('debug', 'two')
  logger.setLevel('nothing')
  logger.log('warning', 'three')
  logger.setLevel('warning')
  logger.log('warning', 'four')
  logger.flush()
  const texts = [...readFileSync(file, 'utf8').matchAll(/"msg":"(\w+)"/g)].map(([, text]) => text)
  expect(texts).toEqual(['two', 'four'])
})

test('a message is one line, and does nothing to a terminal, whatever somebody calls himself', async () => {
  const file = join(scratchFolder('log'), 'log')
  const logger = await openLogger({ level: 'notice', file, program: 'sentinel', port: 1 })
  logger.log('notice', "'\x1b[2J\r\n+switch-master forged' is no address")
  logger.flush()
  const { msg } = JSON.parse(readFileSync(file, 'utf8'))
  expect(msg).toBe("'\\x1b[2J\\x0d\\x0a+switch-master forged' is no address")
})

test.each(['json', 'pretty'] as const)(
  'names beyond ASCII are readable in the form %s, with and without an event',
  async (format) => {
    const file = join(scratchFolder('log'), 'log')
    const logger = await openLogger({ level: 'notice', file, program: 'sentinel', port: 1, format })
    logger.log('warning', EVENT.payload, EVENT)
    logger.log('warning', 'g\xc3\x9c is paused')
    logger.flush()
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('master gé 10.0.0.1 6379 #quorum 2/2')
    expect(text).toContain('gÜ is paused')
  },
)

test('in the form of Redis a line is process id, role, local time, a character for the level, and the text', async () => {
  const file = join(scratchFolder('log'), 'log')
  let role: 'M' | 'S' = 'M'
  const logger = await openLogger({
    ...{ level: 'debug', file, program: 'server', port: 1, format: 'redis' },
    role: () => role,
  })
  logger.log('debug', 'one')
  logger.log('verbose', 'two')
  role = 'S'
  logger.log('notice', 'three')
  logger.setLevel('warning')
  logger.log('notice', 'left out')
  logger.log('warning', 'fou\nr \xc3\xa9')
  logger.flush()
  const lines = readFileSync(file, 'utf8').split('\n')
  const time = '\\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d{3}'
  const shape = new RegExp(`^${process.pid}:([XMSC]) ${time} ([.*#-]) (.*)$`)
  expect(lines.map((line) => shape.exec(line)?.slice(1).join(' '))).toEqual([
    ...['M . one', 'M - two', 'S * three', 'S # fou\\x0ar é'],
    undefined,
  ])
})

test('the time of a line in the form of Redis is local, and its month English', () => {
  const at = new Date(2026, 10, 3, 4, 5, 6, 7)
  expect(redisLine(1, 'X', at, 'warning', 'x')).toBe('1:X 03 Nov 2026 04:05:06.007 # x\n')
})

test('a line in the form logfmt has the same facts, and the message ends at its last quote', () => {
  const at = new Date(2026, 10, 3, 4, 5, 6, 7)
  expect(logfmtLine(1, 'M', at, 'verbose', 'a "b"')).toBe(
    `pid=1 role=primary timestamp="03 Nov 2026 04:05:06.007" level=info message="a 'b'"\n`,
  )
})

const EVENT: AnnouncedEvent = {
  ...{ name: '+odown', level: 'warning', payload: 'master g\xc3\xa9 10.0.0.1 6379 #quorum 2/2' },
  group: {
    ...{ name: 'g\xc3\xa9', configEpoch: 3, master: { host: '10.0.0.1', port: 6379 } },
    failover: undefined,
  },
  instance: { role: 'master', host: '10.0.0.1', port: 6379, runId: '' },
  ...{ epoch: 4, evidence: 'quorum 2/2', by: 'a'.repeat(40), atMs: 0 },
  details: { agreeing: 2, needed: 2 },
}

test('a JSON line that tells of an event has what it is about in fields of their own', async () => {
  const file = join(scratchFolder('log'), 'log')
  const logger = await openLogger({ level: 'notice', file, program: 'sentinel', port: 1 })
  logger.log('warning', '+odown …', EVENT)
  logger.flush()
  const { time: _, pid: __, ...line } = JSON.parse(readFileSync(file, 'utf8'))
  expect(line).toEqual({
    ...{ level: 'warn', program: 'sentinel', port: 1 },
    ...{ event: '+odown', group: 'gé', epoch: 4, configEpoch: 3, evidence: 'quorum 2/2' },
    instance: { role: 'master', host: '10.0.0.1', port: 6379 },
    master: { host: '10.0.0.1', port: 6379 },
    details: { agreeing: 2, needed: 2 },
    ...{ by: 'a'.repeat(40), msg: '+odown …' },
  })
})

test('pretty lines in a file are without colour, and without the fields that repeat the line', async () => {
  const file = join(scratchFolder('log'), 'log')
  const format = 'pretty'
  const logger = await openLogger({ level: 'notice', file, program: 'sentinel', port: 1, format })
  logger.log('warning', '+odown …', EVENT)
  logger.flush()
  expect(readFileSync(file, 'utf8')).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: \+odown …\n$/)
})
