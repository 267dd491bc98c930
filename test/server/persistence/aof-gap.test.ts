/**
 * Between two increments there is no file to append to. A process that is killed there loses what it did,
 * so nobody may have heard of it, whatever appendfsync says; and once there is a file again the answers
 * wait for no sync that the policy does not ask for.
 */
import { expect, test } from 'vitest'
import { restarted, SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

test.each(['no', 'everysec'])('nobody is answered between two files: %s', (appendfsync) => {
  const files = new SlowFiles()
  const node = new SlowDisk({ save: '', appendonly: 'yes', appendfsync }, files)
  const [client, rewriter] = [node.client(), node.client()]
  files.isSlow = true
  rewriter.say('BGREWRITEAOF')
  node.advance(1)
  let acknowledged = 0
  let waited = 0
  while (node.asked !== undefined) {
    const answer = client.say('INCR n')
    if (answer === '') waited++
    acknowledged = Math.max(acknowledged, lastOf(answer))
    // Whatever was answered by now is there for a process that starts in this moment.
    expect(keptOf(files)).toBeGreaterThanOrEqual(acknowledged)
    node.answer()
    acknowledged = Math.max(acknowledged, lastOf(client.take()))
    expect(keptOf(files)).toBeGreaterThanOrEqual(acknowledged)
  }
  expect(waited).toBeGreaterThan(0)
  expect(client.say('INCR n')).toMatch(/^:\d+\r\n$/)
})

/** The greatest number in these answers. */
function lastOf(answers: string): number {
  return Math.max(0, ...[...answers.matchAll(/:(\d+)/g)].map(([, number]) => Number(number)))
}

/** What a node has that starts from the files as they are. */
function keptOf(files: SlowFiles): number {
  const copy = new SlowFiles()
  for (const path of files.paths()) copy.install(path, files.read(path) ?? '')
  const answer = restarted(copy, { save: '', appendonly: 'yes' }).client().say('GET n')
  return Number(/\r\n(\d+)/.exec(answer)?.[1] ?? '0')
}
