/** What `vedette check redis.conf` says of the file that CONFIG REWRITE wrote beside it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkFile } from '../../../src/cli/check/check-file.ts'
import { scratchFolder } from '../../support/scratch.ts'

async function found(conf: string, learnt: string, elsewhere = false): Promise<string[]> {
  const path = join(scratchFolder('learnt'), 'redis.conf')
  writeFileSync(path, `bind 127.0.0.1\n${conf}\n`)
  writeFileSync(`${path}.learnt`, learnt)
  const { problems } = await checkFile(path, elsewhere)
  return problems
    .filter(({ code }) => code !== 'W_CONTAINER_LIMIT')
    .map(({ severity, line, path: option, message }) => {
      return `${severity} ${line ?? '-'} ${option}: ${message.replace(path, 'redis.conf')}`
    })
}

const SETS = 'has no effect: redis.conf.learnt, which CONFIG REWRITE wrote, sets it, too'

test('names each line that has no effect, also under a second name', async () => {
  const conf = 'timeout 3\nmaxmemory 100mb\nslave-priority 5\nhz 20'
  const learnt = 'maxmemory "104857601"\nreplica-priority "7"\nhz "20"\nmaxclients "50"\n'
  expect(await found(conf, learnt)).toEqual([
    `warning 3 maxmemory: ${SETS}`,
    `warning 4 slave-priority: ${SETS}`,
  ])
})

test('says nothing of a line that was changed since: it counts', async () => {
  const learnt =
    'maxmemory "9"\nlearnt-instead-of maxmemory "5"\nhz "30"\nlearnt-instead-of hz "20"\n'
  expect(await found('maxmemory 6\nhz 20', learnt)).toEqual([`warning 3 hz: ${SETS}`])
})

test('says nothing of users, or of a file for another machine', async () => {
  const learnt = 'learnt-users-basis abc\nuser "a" "on"\n'
  expect(await found('timeout 3', learnt)).toEqual([])
  expect(await found('timeout 3', 'timeout "4"\n', true)).toEqual([])
})

test('tells a damaged line, with which the node does not start', async () => {
  expect(await found('timeout 3', 'timeout "4"\nhz "nope"\n')).toEqual([
    expect.stringMatching(
      /^error - : cannot take over the settings in .*redis\.conf\.learnt, line 2: hz/,
    ),
  ])
})
