/** The folder of a data node on a real file system. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { utf8Bytes } from '../../../src/base/utf8.ts'
import { NodeFiles } from '../../../src/io/files/node-files.ts'
import type { FileAnswer, FileRequest } from '../../../src/server/persistence/files.ts'
import { scratchFolder } from '../../support/scratch.ts'

const DONE = { kind: 'done' }

let folder = ''
let files: NodeFiles
beforeEach(() => {
  folder = scratchFolder('files')
  files = new NodeFiles(() => folder)
})

function contents(path: string): string {
  return readFileSync(join(folder, path), 'latin1')
}

/** In one go, without waiting for answers in between. */
function ask(...requests: FileRequest[]): Promise<FileAnswer[]> {
  return Promise.all(requests.map((request) => files.ask(request)))
}

describe('a file', () => {
  test('is made, grows in the order of the requests, and is read in parts', async () => {
    const path = 'a.rdb'
    expect(
      await ask(
        { kind: 'create', path },
        ...['one ', 'two ', 'three\xff\0'].map((bytes) => ({
          kind: 'append' as const,
          path,
          bytes,
        })),
        { kind: 'sync', path },
        { kind: 'size', path },
        { kind: 'read', path, offset: 4, maxBytes: 3 },
        { kind: 'read', path, offset: 8, maxBytes: 100 },
        { kind: 'read', path, offset: 100, maxBytes: 100 },
      ),
    ).toEqual([
      ...[DONE, DONE, DONE, DONE, DONE],
      { kind: 'size', sizeBytes: 15 },
      { kind: 'bytes', bytes: 'two' },
      { kind: 'bytes', bytes: 'three\xff\0' },
      { kind: 'bytes', bytes: '' },
    ])
    expect(contents(path)).toBe('one two three\xff\0')
  })

  test('is for its owner alone', async () => {
    await ask({ kind: 'create', path: 'a' })
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  })

  test('takes the name of another, and the other is gone', async () => {
    writeFileSync(join(folder, 'dump.rdb'), 'old')
    expect(
      await ask(
        { kind: 'create', path: 'temp' },
        { kind: 'append', path: 'temp', bytes: 'new' },
        { kind: 'rename', from: 'temp', to: 'dump.rdb' },
      ),
    ).toEqual([DONE, DONE, DONE])
    expect([readdirSync(folder), contents('dump.rdb')]).toEqual([['dump.rdb'], 'new'])
  })

  test('is cut, and goes on from there', async () => {
    writeFileSync(join(folder, 'a'), '123456')
    expect(
      await ask(
        { kind: 'truncate', path: 'a', sizeBytes: 2 },
        { kind: 'append', path: 'a', bytes: 'x' },
      ),
    ).toEqual([DONE, DONE])
    expect(contents('a')).toBe('12x')
  })

  test('that is not there has no size, is removed for nothing, and nothing else works', async () => {
    const path = 'nowhere'
    const answers = await ask(
      { kind: 'size', path },
      { kind: 'remove', path },
      { kind: 'read', path, offset: 0, maxBytes: 1 },
      { kind: 'append', path, bytes: 'x' },
      { kind: 'sync', path },
      { kind: 'truncate', path, sizeBytes: 0 },
      { kind: 'rename', from: path, to: 'b' },
    )
    expect(answers.slice(0, 2)).toEqual([{ kind: 'size', sizeBytes: undefined }, DONE])
    for (const answer of answers.slice(2)) expect(answer).toMatchObject({ code: 'ENOENT' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('may have any name: a byte string stands for UTF-8', async () => {
    const path = utf8Bytes('dümp – 日.rdb')
    await ask({ kind: 'create', path })
    expect(readdirSync(folder)).toEqual(['dümp – 日.rdb'])
    expect(await ask({ kind: 'list', folder: '' })).toEqual([{ kind: 'names', names: [path] }])
  })
})

describe('a folder', () => {
  test('is listed, and one that is not there has nothing', async () => {
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'sub', 'file'), '')
    expect(
      await ask(
        { kind: 'list', folder: '' },
        { kind: 'list', folder: 'sub' },
        { kind: 'list', folder: 'nowhere' },
      ),
    ).toEqual([
      { kind: 'names', names: ['sub'] },
      { kind: 'names', names: ['file'] },
      { kind: 'names', names: [] },
    ])
  })

  test('is made once, and twice for nothing', async () => {
    const request = { kind: 'makeFolder', folder: 'sub' } as const
    expect(await ask(request, request)).toEqual([DONE, DONE])
    expect(existsSync(join(folder, 'sub'))).toBe(true)
  })

  test('that is gone is a failure with the words of the system', async () => {
    rmSync(folder, { recursive: true })
    expect(await ask({ kind: 'create', path: 'a' })).toMatchObject([
      { kind: 'failed', code: 'ENOENT' },
    ])
  })

  test('changed under way: what was begun in one ends in it, the next begins in the other', async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    let current = folder
    files = new NodeFiles(() => current)
    await ask({ kind: 'create', path: 'temp' }, { kind: 'append', path: 'temp', bytes: '1' })
    current = other
    await ask(
      { kind: 'append', path: 'temp', bytes: '2' },
      { kind: 'sync', path: 'temp' },
      { kind: 'rename', from: 'temp', to: 'dump.rdb' },
    )
    await ask({ kind: 'create', path: 'temp' }, { kind: 'rename', from: 'temp', to: 'dump.rdb' })
    expect([contents('dump.rdb'), readdirSync(folder).sort(), readdirSync(other)]).toEqual([
      '12',
      ['dump.rdb', 'other'],
      ['dump.rdb'],
    ])
  })
})

describe.runIf(existsSync('/dev/full'))('a full disk', () => {
  beforeEach(() => symlinkSync('/dev/full', join(folder, 'full')))

  test('is told by its name, in the background and at once', async () => {
    const bytes = 'x'.repeat(100_000)
    expect(await ask({ kind: 'append', path: 'full', bytes })).toMatchObject([{ code: 'ENOSPC' }])
    expect(files.appendNow('full', bytes)).toMatchObject({ kind: 'failed', code: 'ENOSPC' })
  })
})

describe('appending at once', () => {
  test('to a file that is there: every byte is in it when the call returns', () => {
    writeFileSync(join(folder, 'a.aof'), '')
    expect(files.appendNow('a.aof', 'one\xff')).toBeUndefined()
    expect(contents('a.aof')).toBe('one\xff')
    expect(files.appendNow('a.aof', 'two')).toBeUndefined()
    expect(contents('a.aof')).toBe('one\xfftwo')
  })

  test('goes to the file of that name, also after another has taken it', async () => {
    await ask({ kind: 'create', path: 'a' })
    files.appendNow('a', 'old')
    await ask({ kind: 'rename', from: 'a', to: 'b' })
    await ask({ kind: 'create', path: 'a' })
    files.appendNow('a', 'new')
    await ask({ kind: 'remove', path: 'b' })
    await ask({ kind: 'create', path: 'b' })
    files.appendNow('b', 'newer')
    await ask({ kind: 'create', path: 'a' })
    files.appendNow('a', 'newest')
    expect([contents('a'), contents('b')]).toEqual(['newest', 'newer'])
  })

  test.each(['a', 'nowhere/a'])(
    'where there is no file (%s) is a failure, and makes none',
    (path) => {
      expect(files.appendNow(path, 'x')).toMatchObject({ code: 'ENOENT' })
      expect(existsSync(join(folder, path))).toBe(false)
    },
  )
})

/** A process may be forbidden to make files longer than so many KiB: then a write ends half-way. */
const LIMIT_BYTES = 4 * 1024
const CHILD = new URL('../../../dist/io/files/node-files.js', import.meta.url)

test.runIf(existsSync(CHILD))('a write that fails half-way is taken back', () => {
  writeFileSync(join(folder, 'a'), '')
  const script = `
    const { NodeFiles } = await import(${JSON.stringify(String(CHILD))})
    const files = new NodeFiles(() => ${JSON.stringify(folder)})
    const said = [3000, 3000, 1000].map((size) => files.appendNow('a', 'x'.repeat(size))?.code)
    console.log(JSON.stringify(said))
  `
  const said = execFileSync('/bin/bash', [
    '-c',
    `ulimit -f ${LIMIT_BYTES / 1024}; exec "$0" --input-type=module -e "$1"`,
    process.execPath,
    script,
  ])
  expect(JSON.parse(String(said))).toEqual([null, 'EFBIG', null])
  expect(contents('a')).toBe('x'.repeat(4000))
})

test('a file that cannot take its name is removed where it was made, though dir has changed meanwhile', async () => {
  const other = scratchFolder('other')
  mkdirSync(join(folder, 'dump.rdb'))
  const before = folder
  await ask({ kind: 'create', path: 'temp.rdb' })
  folder = other
  const [renamed] = await ask({ kind: 'rename', from: 'temp.rdb', to: 'dump.rdb' })
  expect(renamed).toMatchObject({ kind: 'failed' })
  await ask({ kind: 'remove', path: 'temp.rdb' })
  expect(readdirSync(before)).toEqual(['dump.rdb'])
  rmSync(before, { recursive: true })
})
