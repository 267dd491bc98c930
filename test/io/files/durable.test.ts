/**
 * Replacing the state file on a disk whose power is cut after every single operation. What the disk has
 * not synced is, each by itself, there or not: bytes of a file in any part, every rename on its own,
 * which is worse than any real file system. What is left is laid out in a real folder and read as at a
 * start.
 */
import {
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeState } from '../../../src/config/state-file.ts'
import type { SavedState } from '../../../src/core/persistence/saved.ts'
import {
  type FileSystem,
  type OpenFile,
  replaceFileSync,
  replaceFiles,
  SYNCED_WRITES,
} from '../../../src/io/files/durable.ts'
import { StateFile } from '../../../src/io/files/state-file.ts'
import { scratchFolder } from '../../support/scratch.ts'

const NAMES = ['sentinel.state', 'sentinel.state.copy'] as const

let folder = ''
beforeAll(() => {
  folder = scratchFolder('durable')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('whatever the disk keeps of a save that was cut, the state before it or the new one is read', async () => {
  const operations = await countOperations()
  const seen = new Set<number>()
  for (let cutAfter = 0; cutAfter <= operations; cutAfter++) {
    for (const epoch of await epochsAfterCut(cutAfter)) seen.add(epoch)
  }
  expect([...seen].sort()).toEqual([7, 8])
})

test('once a save has been told it is what is read, whatever the power does', async () => {
  expect(await epochsAfterCut(await countOperations())).toEqual([8])
})

test('a link or a file that somebody laid where a save begins is not written through', async () => {
  const dir = join(folder, 'laid')
  mkdirSync(dir)
  const victim = join(dir, 'victim')
  writeFileSync(victim, 'of value')
  symlinkSync(victim, join(dir, `${NAMES[0]}.tmp`))
  writeFileSync(join(dir, `${NAMES[1]}.tmp`), 'open to all', { mode: 0o666 })
  symlinkSync(victim, join(dir, 'users.acl.tmp'))
  symlinkSync(victim, join(dir, `.vedette-probe-${process.pid}`))
  await new StateFile(join(dir, NAMES[0])).save(stateOf(7))
  replaceFileSync(dir, 'users.acl', 'user default on')
  expect(readFileSync(victim, 'utf8')).toBe('of value')
  for (const name of [...NAMES, 'users.acl']) {
    const { mode } = lstatSync(join(dir, name))
    expect(`${name} ${(mode & 0o170_777).toString(8)}`).toBe(`${name} 100600`)
  }
})

/** The epochs a start can find when the power goes after that many operations of the second save. */
async function epochsAfterCut(cutAfter: number): Promise<readonly number[]> {
  const disk = new PowerlessDisk()
  await replaceFiles('/', NAMES, encodeState(stateOf(7)), disk)
  disk.cutAfter(cutAfter)
  await replaceFiles('/', NAMES, encodeState(stateOf(8)), disk).catch(() => undefined)
  return [...new Set(disk.survivors().map(epochReadFrom))]
}

async function countOperations(): Promise<number> {
  const disk = new PowerlessDisk()
  await replaceFiles('/', NAMES, encodeState(stateOf(7)), disk)
  return disk.operations
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
  text: string
  synced: string
}

type FolderChange =
  | { readonly kind: 'create'; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }

/** A folder on a disk that forgets what was not synced. */
class PowerlessDisk implements FileSystem {
  operations = 0
  #limit = Infinity
  /** As a running process sees it, and as it surely is on the platters. */
  readonly #entries = new Map<string, Inode>()
  #safe = new Map<string, Inode>()
  #changes: FolderChange[] = []

  cutAfter(operations: number): void {
    this.#limit = this.operations + operations
  }

  async open(path: string, flags: number): Promise<OpenFile> {
    if (flags === constants.O_RDONLY) return this.#folder()
    this.#work()
    const inode = { text: '', synced: '' }
    this.#change({ kind: 'create', name: path.slice(1), inode })
    return {
      writeFile: async (text) => {
        this.#work()
        inode.text = text.toString()
        if ((flags & SYNCED_WRITES) === 0) return
        this.#work()
        inode.synced = inode.text
      },
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

  #folder(): OpenFile {
    return {
      writeFile: async () => undefined,
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

/** Each file as synced, as written, or cut somewhere between. */
function contentsOf(
  entries: readonly (readonly [string, Inode])[],
): readonly ReadonlyMap<string, string>[] {
  const [first, ...rest] = entries
  if (first === undefined) return [new Map()]
  const [name, { text, synced }] = first
  const versions = new Set([synced, text, text === synced ? text : text.slice(0, text.length / 2)])
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
