/**
 * Saves of the state file on a disk whose power is cut after every single operation. What the disk has
 * not synced is, each by itself, there or not: bytes of a file in any part, every rename on its own,
 * which is worse than any real file system. What is left is laid out in a real folder and read as at a
 * start.
 */
import { constants, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { encodeState } from '../../../src/config/state-file.ts'
import type { SavedState } from '../../../src/core/persistence/saved.ts'
import { replaceFileSync, replaceFiles, SYNCED_WRITES } from '../../../src/io/files/durable.ts'
import {
  type CopyFileSystem,
  type OpenCopy,
  StateCopies,
} from '../../../src/io/files/state-copies.ts'
import { StateFile } from '../../../src/io/files/state-file.ts'
import { scratchFolder } from '../../support/scratch.ts'

const NAMES = ['sentinel.state', 'sentinel.state.copy'] as const

let folder = ''
beforeAll(() => {
  folder = scratchFolder('durable')
})

describe.each([
  ['replaces both copies', 0],
  ['is written over the copies', 1],
])('of a save that %s', (_how, savesBefore) => {
  test('whatever the disk keeps when it is cut, the state before it or the new one is read', async () => {
    const operations = await countOperations(savesBefore)
    const seen = new Set<number>()
    for (let cutAfter = 0; cutAfter <= operations; cutAfter++) {
      for (const epoch of (await cut(savesBefore, cutAfter)).epochs) seen.add(epoch)
    }
    expect([...seen].sort()).toEqual([7, 8])
  })

  test('once it has been told it is what is read, whatever the power does', async () => {
    const operations = await countOperations(savesBefore)
    for (let cutAfter = 0; cutAfter <= operations; cutAfter++) {
      const { isTold, epochs } = await cut(savesBefore, cutAfter)
      if (isTold) expect(epochs).toEqual([8])
    }
    expect(await cut(savesBefore, operations)).toMatchObject({ isTold: true })
  })
})

test.runIf(SYNCED_WRITES !== 0)(
  'a save that is written over the copies is told after a single write',
  async () => {
    const { disk, copies } = await savedBefore(1)
    disk.cutAfter(2)
    await copies.write(bytesOf(8))
    expect(new Set(disk.survivors().map(epochReadFrom))).toEqual(new Set([8]))
  },
)

test('a save that fails leaves none of its steps to the next one', async () => {
  const disk = new PowerlessDisk()
  const renamed: string[] = []
  disk.rename = async (_from, to) => {
    if (to.endsWith(NAMES[0])) throw new Error('a folder is in its way')
    for (let turn = 0; turn < 20; turn++) await null
    renamed.push(to)
  }
  await expect(replaceFiles('/', NAMES, bytesOf(7), disk)).rejects.toThrow('in its way')
  expect(renamed).toEqual([`/${NAMES[1]}`])
})

test.runIf(SYNCED_WRITES !== 0)(
  'copies that somebody has changed under a save are not kept open: Node 26 ends a process that forgets a file',
  async () => {
    const disk = new PowerlessDisk()
    const closed: string[] = []
    const files: CopyFileSystem = {
      open: async (path, flags) => {
        const file = await disk.open(path, flags)
        const close = async () => void closed.push(path)
        const isCopy = (flags & constants.O_CREAT) === 0 && path !== '/'
        const stat = async () => ({ dev: 0, ino: 0, size: 1 })
        return isCopy ? { ...file, close, stat } : file
      },
      rename: (from, to) => disk.rename(from, to),
      rm: (path) => disk.rm(path),
      stat: (path) => disk.stat(path),
    }
    const copies = new StateCopies('/', NAMES, () => undefined, files)
    await copies.write(bytesOf(7))
    await copies.close()
    expect(closed).toEqual(NAMES.map((name) => `/${name}`))
  },
)

test('a link or a file that somebody laid where a save begins is not written through', async () => {
  const dir = join(folder, 'laid')
  mkdirSync(dir)
  const victim = join(dir, 'victim')
  writeFileSync(victim, 'of value')
  symlinkSync(victim, join(dir, `${NAMES[0]}.tmp`))
  writeFileSync(join(dir, `${NAMES[1]}.tmp`), 'open to all', { mode: 0o666 })
  symlinkSync(victim, join(dir, 'users.acl.tmp'))
  symlinkSync(victim, join(dir, `.vedette-probe-${process.pid}`))
  const file = new StateFile(join(dir, NAMES[0]))
  await file.save(stateOf(7))
  await file.close()
  replaceFileSync(dir, 'users.acl', 'user default on')
  expect(readFileSync(victim, 'utf8')).toBe('of value')
  for (const name of [...NAMES, 'users.acl']) {
    const { mode } = lstatSync(join(dir, name))
    expect(`${name} ${(mode & 0o170_777).toString(8)}`).toBe(`${name} 100600`)
  }
})

/** What a start can find when the power goes after that many operations of a save, and whether that was told. */
async function cut(savesBefore: number, cutAfter: number) {
  const { disk, copies } = await savedBefore(savesBefore)
  disk.cutAfter(cutAfter)
  const isTold = await copies.write(bytesOf(8)).then(
    () => true,
    () => false,
  )
  await copies.close()
  return { isTold, epochs: [...new Set(disk.survivors().map(epochReadFrom))] }
}

async function countOperations(savesBefore: number): Promise<number> {
  const { disk, copies } = await savedBefore(savesBefore)
  const before = disk.operations
  await copies.write(bytesOf(8))
  await copies.close()
  return disk.operations - before
}

/** The state of epoch 7 is on the disk, and so many saves were made by the process that goes on. */
async function savedBefore(saves: number) {
  const disk = new PowerlessDisk()
  await replaceFiles('/', NAMES, bytesOf(7), disk)
  const copies = new StateCopies('/', NAMES, () => undefined, disk)
  for (let save = 0; save < saves; save++) await copies.write(bytesOf(7))
  return { disk, copies }
}

function bytesOf(epoch: number): Buffer {
  return Buffer.from(encodeState(stateOf(epoch)), 'latin1')
}

function stateOf(currentEpoch: number): SavedState {
  return {
    myid: 'a'.repeat(40),
    currentEpoch,
    groups: [],
    removed: [],
    settings: undefined,
    users: undefined,
  }
}

let starts = 0

function epochReadFrom(files: ReadonlyMap<string, string>): number {
  const dir = join(folder, String(++starts))
  mkdirSync(dir)
  for (const [name, text] of files) writeFileSync(join(dir, name), text)
  const { saved } = new StateFile(join(dir, NAMES[0])).load()
  if (saved === undefined) throw new Error('the state is gone')
  return saved.currentEpoch
}

interface Inode {
  readonly ino: number
  text: string
  synced: string
}

type FolderChange =
  | { readonly kind: 'create'; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }

/** A folder on a disk that forgets what was not synced. */
class PowerlessDisk implements CopyFileSystem {
  operations = 0
  #lastInode = 0
  #limit = Infinity
  /** As a running process sees it, and as it surely is on the platters. */
  readonly #entries = new Map<string, Inode>()
  #safe = new Map<string, Inode>()
  #changes: FolderChange[] = []

  cutAfter(operations: number): void {
    this.#limit = this.operations + operations
  }

  async open(path: string, flags: number): Promise<OpenCopy> {
    if (flags === constants.O_RDONLY) return this.#folder()
    const name = path.slice(1)
    const found = (flags & constants.O_CREAT) === 0 ? this.#entries.get(name) : undefined
    if (found !== undefined) return this.#file(found, flags)
    this.#work()
    const inode = { ino: ++this.#lastInode, text: '', synced: '' }
    this.#change({ kind: 'create', name, inode })
    return this.#file(inode, flags)
  }

  async stat(path: string) {
    return identityOf(this.#entries.get(path.slice(1)) as Inode)
  }

  #file(inode: Inode, flags: number): OpenCopy {
    const write = async (text: string): Promise<void> => {
      this.#work()
      inode.text = text
      // Now others may write.
      await null
      if ((flags & SYNCED_WRITES) === 0) return
      this.#work()
      inode.synced = inode.text
    }
    return {
      writeFile: (text) => write(text.toString()),
      write: async (bytes) => {
        await write(Buffer.from(bytes).toString('latin1'))
        return { bytesWritten: bytes.length }
      },
      stat: async () => identityOf(inode),
      sync: async () => {
        this.#work()
        inode.synced = inode.text
      },
      close: async () => undefined,
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.#work()
    this.#change({ kind: 'rename', from: from.slice(1), to: to.slice(1) })
  }

  async rm(path: string): Promise<void> {
    throw new Error(`${path} is not there`)
  }

  /** Every folder that could be found when the power is back. */
  survivors(): readonly ReadonlyMap<string, string>[] {
    return subsets(this.#changes).flatMap((kept) => {
      const entries = new Map(this.#safe)
      for (const change of kept) apply(entries, change)
      return contentsOf([...entries])
    })
  }

  #folder(): OpenCopy {
    return {
      writeFile: async () => undefined,
      write: async () => ({ bytesWritten: 0 }),
      stat: async () => ({ dev: 0, ino: 0, size: 0 }),
      sync: async () => {
        this.#work()
        this.#safe = new Map(this.#entries)
        this.#changes = []
      },
      close: async () => undefined,
    }
  }

  #change(change: FolderChange): void {
    apply(this.#entries, change)
    this.#changes.push(change)
  }

  #work(): void {
    if (this.operations >= this.#limit) throw new Error('no power')
    this.operations++
  }
}

function identityOf({ ino, text }: Inode) {
  return { dev: 0, ino, size: text.length }
}

function apply(entries: Map<string, Inode>, change: FolderChange): void {
  if (change.kind === 'create') {
    entries.set(change.name, change.inode)
    return
  }
  const inode = entries.get(change.from)
  if (inode === undefined) return
  entries.delete(change.from)
  entries.set(change.to, inode)
}

/** Each file as synced, as written, cut somewhere between, or with the new bytes in one half of the old ones. */
function contentsOf(
  entries: readonly (readonly [string, Inode])[],
): readonly ReadonlyMap<string, string>[] {
  const [first, ...rest] = entries
  if (first === undefined) return [new Map()]
  const [name, { text, synced }] = first
  const half = text.length / 2
  const torn = [
    text.slice(0, half),
    text.slice(0, half) + synced.slice(half),
    synced.slice(0, half) + text.slice(half),
  ]
  const versions = new Set([synced, text, ...(text === synced ? [] : torn)])
  return contentsOf(rest).flatMap((others) =>
    [...versions].map((version) => new Map([...others, [name, version]])),
  )
}

function subsets<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const [first, ...rest] = items
  if (first === undefined) return [[]]
  const without = subsets(rest)
  return [...without, ...without.map((set) => [first, ...set])]
}
