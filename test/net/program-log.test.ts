/** The helper that starts programs for tests (test/support/processes.ts). */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Program } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

/** Without a turn of the event loop, as a test is while redis-cli runs. */
function isSaidWithin(program: Program, words: string, tenths: number): boolean {
  for (let at = 0; at < tenths; at++) {
    if (program.log().includes(words)) return true
    spawnSync('sleep', ['0.1'])
  }
  return false
}

test('the log has what a program said, even if the test had no turn in between', async ({
  onTestFinished,
}) => {
  const log = join(scratchFolder('program-log'), 'said.log')
  const script =
    'process.stdout.write("out\\n"); process.stderr.write("err\\n"); setInterval(() => {}, 1000)'
  const program = new Program(0, log, process.execPath, ['-e', script])
  onTestFinished(() => program.kill())
  program.start()
  expect(isSaidWithin(program, 'out\nerr\n', 100)).toBe(true)
})

test('a program that is started again adds to its log', async ({ onTestFinished }) => {
  const log = join(scratchFolder('program-log'), 'said.log')
  const program = new Program(0, log, process.execPath, ['-e', 'console.log("out")'])
  onTestFinished(() => program.kill())
  program.start()
  expect(isSaidWithin(program, 'out\n', 100)).toBe(true)
  await program.kill()
  program.start()
  expect(isSaidWithin(program, 'out\nout\n', 100)).toBe(true)
})
