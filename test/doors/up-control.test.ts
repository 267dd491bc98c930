/** The remote control of `vedette up`, as a test in another language would use it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAIN, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const folder = scratchFolder('up-control')
const env = { ...process.env, TMPDIR: folder }
let up: ChildProcess

beforeAll(async () => {
  up = spawn(process.execPath, [MAIN, 'up', '--down-after', '300ms'], { env, stdio: 'ignore' })
  await until('the cluster is ready', 30_000, () => {
    const { status, stdout } = control('status', '--json')
    return status === 0 && JSON.parse(stdout).status.isReady
  })
})
afterAll(async () => {
  up.kill('SIGINT')
  await until('vedette up ends', 10_000, () => up.exitCode !== null)
})

function control(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'up', ...words], {
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function statusNow() {
  return JSON.parse(control('status', '--json').stdout).status
}

test('a killed master is replaced, and comes back as a replica', async () => {
  const { master } = statusNow()
  const { stdout, status } = control('kill', '--json')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    text: `you kill the master ${master} (SIGKILL)`,
  })
  await until('another master', 20_000, () => statusNow().master !== master)
  expect(control('back').stdout).toContain(`you start ${master} again`)
  await until('all is well', 20_000, () => statusNow().isReady)
  expect(statusNow().nodes.find(({ port }: { port: number }) => port === master).role).toBe(
    'replica',
  )
})

test('harm is told in the answer to the order, before the system reports the end of the process', async () => {
  const { master } = statusNow()
  const { status } = JSON.parse(control('kill', '--json').stdout)
  expect(status).toMatchObject({ isReady: false, missing: `${master} is dead` })
  expect(control('kill', `${master}`)).toMatchObject({ status: 1 })
  expect(control('back', `${master}`).stdout).toContain(`you start ${master} again`)
  await until('all is well', 20_000, () => statusNow().isReady)
  const [sentinel] = statusNow().sentinels
  expect(control('stop', `${sentinel.port}`).stdout).toContain(
    `missing: ${sentinel.port} is paused`,
  )
  control('back')
  await until('all is well again', 20_000, () => statusNow().isReady)
})

test('a member is named by its port, and what cannot be done is said, with status 1', () => {
  const { sentinels } = statusNow()
  expect(control('kill', `${sentinels[0].port}`).stdout).toContain('you kill sentinel')
  expect(control('kill', `${sentinels[0].port}`)).toMatchObject({ status: 1 })
  expect(control('cut', `${sentinels[1].port}`).stdout).toContain('only nodes can be cut off')
  expect(control('kill', '9').stdout).toContain('no member has port 9')
  expect(control('back').stdout).toContain(`you start ${sentinels[0].port} again`)
})

test('without the secret of its file nothing is done', async () => {
  const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('-control.json'))
  const { port } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const ask = (line: string) =>
    new Promise<string>((resolve) => {
      let text = ''
      connect({ host: '127.0.0.1', port })
        .on('data', (chunk) => {
          text += chunk
        })
        .on('close', () => resolve(text))
        .write(`${line}\n`)
    })
  expect(await ask('{ "secret": "x", "order": "kill" }')).toContain('the secret is wrong')
  expect(await ask('{ "order": "dance" }')).toContain('one line of JSON')
  expect(await ask('null')).toContain('one line of JSON')
})

test('where none runs, that is said with a way out', () => {
  const { status, stderr } = control('status', '--cluster', '1')
  expect(status).toBe(1)
  expect(stderr).toBe(
    'vedette: no vedette up of yours has port 1\n  vedette up --port P is called --cluster P here\n',
  )
})
