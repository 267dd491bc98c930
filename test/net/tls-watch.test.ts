/** Files that a TLS configuration names, changed in ways that leave their modification time as it was. */
import { chmodSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { watchFiles } from '../../src/io/tls/tls-watch.ts'
import { until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const LOOK_MS = 10

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** Counts the changes that are noticed. Waits for the first sight, which is one. */
async function watched(path: string): Promise<() => number> {
  let changes = 0
  open.push(
    watchFiles(
      () => [path],
      () => void changes++,
      LOOK_MS,
    ),
  )
  await until('the first look', 5_000, () => changes === 1)
  return () => changes
}

function certificate(folder: string): string {
  const path = join(folder, 'own.crt')
  writeFileSync(path, 'old')
  utimesSync(path, 1_000, 1_000)
  return path
}

test('new contents with an old time, as after cp -p, are noticed', async () => {
  const path = certificate(scratchFolder('tls-watch'))
  const changes = await watched(path)
  const { ino, size } = statSync(path)
  writeFileSync(path, 'new')
  utimesSync(path, 1_000, 1_000)
  expect(statSync(path)).toMatchObject({ ino, size, mtimeMs: 1_000_000 })
  await until('the change is noticed', 5_000, () => changes() === 2)
})

test('another mode is noticed: a file that could not be read may be readable now', async () => {
  const path = certificate(scratchFolder('tls-watch'))
  const changes = await watched(path)
  chmodSync(path, 0o640)
  await until('the change is noticed', 5_000, () => changes() === 2)
})

test('a link to nowhere in a folder does not hide the other files', async () => {
  const folder = join(scratchFolder('tls-watch'), 'authorities')
  mkdirSync(folder)
  const path = certificate(folder)
  symlinkSync('/nowhere', join(folder, 'dangling'))
  const changes = await watched(folder)
  writeFileSync(path, 'another authority')
  await until('the change is noticed', 5_000, () => changes() === 2)
})
