/** `vedette fuzz` as people run it. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { minutes, openSeeds, workers } from '../../src/cli/options.ts'
import { parseScenario } from '../../src/scenario/parse.ts'
import { scratchFolder } from '../support/scratch.ts'

const MAIN = fileURLToPath(new URL('../../dist/launch/vedette.cjs', import.meta.url))

/** Where CI is set, colours are on without a terminal, too. */
const PLAIN = { ...process.env, NO_COLOR: '1' }

function fuzz(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const out = join(scratchFolder('fuzz'), 'failures')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [MAIN, 'fuzz', '--out', out, ...args],
    { encoding: 'utf8', timeout: 50_000, env: PLAIN },
  )
  if (status === 0) expect(existsSync(out)).toBe(false)
  return { status, stdout, stderr }
}

test('a few seeds are played, and the summary says what was done to them', () => {
  const { status, stdout } = fuzz('--seeds', '2..3', '--jobs', '2')
  expect(stdout).toMatch(/^2 seeds in .* no failure$/m)
  expect(stdout).toMatch(/^ {2}\d+ faults: /m)
  expect(status).toBe(0)
})

test('--print shows the scenario of a seed, and plays nothing', () => {
  const { status, stdout } = fuzz('--seeds', '7..7', '--print')
  expect(status).toBe(0)
  expect(parseScenario(stdout, 'printed')).toMatchObject({ ok: true })
})

test('a number of seeds is how many, with a note on standard error, and --json gives a summary', () => {
  const { stdout, stderr } = fuzz('--seeds', '2', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'summary', seeds: 2, failures: 0 })
  expect(stderr).toContain('--seeds 2 plays the seeds 1 to 2; --seeds 2..2 plays one')
})

test('what makes no sense on the command line is refused with status 2', () => {
  expect(fuzz('--seeds', '9..3').status).toBe(2)
  expect(fuzz('--seeds', '1', '--days', '3').status).toBe(2)
  expect(fuzz('--seeds', '1', '--guided', '--profile', 'noise').status).toBe(2)
})

test('what a run reached of the machines is told, with the lines of the source', () => {
  const path = join(scratchFolder('coverage'), 'reached.json')
  const { status, stdout } = fuzz('--seeds', '2..2', '--coverage', '--coverage-json', path)
  expect(status).toBe(0)
  expect(stdout).toMatch(/^\d+ of \d+ functions were called/m)
  const { modules } = JSON.parse(readFileSync(path, 'utf8'))
  const vote = modules['core/election/vote.js'].find(
    ({ name }: { name: string }) => name === 'castVote',
  )
  expect(vote.reachedBy[0].seed).toBe('2')
  const [file, line] = vote.source.split(':')
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  expect(source.split('\n')[Number(line) - 1]).toContain('function castVote(')
})

test.each([
  ['seeds', openSeeds, ['9..3', 'x', '']],
  ['minutes', minutes, ['-1', '0', 'x']],
  ['jobs', workers, ['0', '-1', '1.5']],
] as const)('--%s takes no nonsense', (_name, parse, texts) => {
  for (const text of texts) expect(() => parse(text)).toThrow('expected ')
})

test('time that is over ends it', () => {
  const { status, stdout } = fuzz('--seeds', '1..', '--minutes', '0.02', '--jobs', '1')
  expect(stdout).toMatch(/^\d+ seeds? in /m)
  expect(status).toBe(0)
})

test('Ctrl-C ends it with the summary so far', async () => {
  const { status, output } = await interrupted(2_000)
  expect(output).toMatch(/^interrupted after \d+ seeds? in /m)
  expect(status).toBe(130)
})

/** Too early, before it listens to signals, it is simply ended by one: then again, with more time. */
async function interrupted(afterMs: number): Promise<{ status: number | null; output: string }> {
  const argv = [MAIN, 'fuzz', '--seeds', '1..100000', '--jobs', '1', '--out', scratchFolder('fuzz')]
  const child = spawn(process.execPath, argv, { env: PLAIN })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  setTimeout(() => child.kill('SIGINT'), afterMs)
  await new Promise((resolve) => child.once('close', resolve))
  if (child.signalCode === 'SIGINT' && afterMs < 16_000) return await interrupted(afterMs * 2)
  return { status: child.exitCode, output }
}
