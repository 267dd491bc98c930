import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DEFAULT_GROUP } from '../../../src/core/config.ts'
import type { SavedGroup, SavedState } from '../../../src/core/persistence/saved.ts'
import { SYNCED_WRITES } from '../../../src/io/files/durable.ts'
import { StateFile } from '../../../src/io/files/state-file.ts'
import { scratchFolder } from '../../support/scratch.ts'
import { sized } from '../../support/sized.ts'

const WRITES_IN_PLACE = SYNCED_WRITES !== 0

let folder = ''
let path = ''
beforeEach(() => {
  folder = scratchFolder('test')
  path = join(folder, 'sentinel.state')
})
afterEach(async () => {
  for (const file of opened.splice(0)) await file.close()
})

const opened: StateFile[] = []

/** As a Sentinel opens it at its start. */
function start(): StateFile {
  const file = new StateFile(path)
  opened.push(file)
  return file
}

const GROUP = { ...DEFAULT_GROUP, name: 'größe-☃', host: '127.0.0.1', port: 6379, quorum: 2 }

function stateAt(currentEpoch: number): SavedState {
  return {
    myid: 'a'.repeat(40),
    currentEpoch,
    groups: [
      {
        file: GROUP,
        current: { ...GROUP, port: 6380 },
        configEpoch: 3,
        leaderEpoch: currentEpoch,
        leader: 'b'.repeat(40),
        replicas: [{ host: '127.0.0.1', port: 6379 }],
        peers: [{ runId: 'c'.repeat(40), host: '127.0.0.1', port: 26_379 }],
      },
    ],
    removed: [],
    settings: undefined,
    users: undefined,
  }
}

test('without a file there is no state and nothing to warn of', () => {
  expect(start().load()).toEqual({ saved: undefined, warning: undefined })
})

test('what was saved is loaded, and a later save replaces it', async () => {
  await start().save(stateAt(1))
  await start().save(stateAt(2))
  expect(start().load()).toEqual({ saved: stateAt(2), warning: undefined })
})

test.each([1, 2, 3])('%i saves leave two identical copies and nothing else', async (saves) => {
  const file = start()
  for (let epoch = 1; epoch <= saves; epoch++) await file.save(stateAt(epoch))
  await file.close()
  expect(readdirSync(folder).sort()).toEqual(['sentinel.state', 'sentinel.state.copy'])
  expect(readFileSync(path)).toEqual(readFileSync(`${path}.copy`))
  expect(file.load().saved).toEqual(stateAt(saves))
})

test('a state of the same size is written where the last one lies, a larger one replaces it', async () => {
  const file = start()
  const inodes: number[] = []
  for (const replicas of [1, 2, 200]) {
    const [group] = stateAt(1).groups
    const rows = Array.from({ length: replicas }, (_, at) => ({ host: '127.0.0.1', port: at + 1 }))
    await file.save({ ...stateAt(1), groups: [{ ...group, replicas: rows } as SavedGroup] })
    inodes.push(statSync(path).ino)
  }
  expect([inodes[0] === inodes[1], inodes[1] === inodes[2]]).toEqual([WRITES_IN_PLACE, false])
})

test.each([
  ['removed', ['main'], () => rmSync(path)],
  ['removed', ['copy'], () => rmSync(`${path}.copy`)],
  ['replaced', ['main'], () => replaceBySame(path)],
  ['replaced', ['copy'], () => replaceBySame(`${path}.copy`)],
  ['lengthened', ['main'], () => appendFileSync(path, ' ')],
  ['lengthened', ['copy'], () => appendFileSync(`${path}.copy`, ' ')],
])('where somebody has %s the %s, the next save is in both', async (_how, _which, meddle) => {
  const file = start()
  await file.save(stateAt(1))
  await file.save(stateAt(2))
  meddle()
  await file.save(stateAt(3))
  expect(file.load()).toEqual({ saved: stateAt(3), warning: undefined })
  await file.close()
  expect(readFileSync(path)).toEqual(readFileSync(`${path}.copy`))
})

/** With the same bytes, as restoring a backup would. */
function replaceBySame(at: string): void {
  copyFileSync(at, `${path}.same`)
  renameSync(`${path}.same`, at)
}

test('a file cut at any byte is not believed: its copy is', async () => {
  const file = start()
  await file.save(stateAt(1))
  const whole = readFileSync(path)
  for (let length = 0; length < whole.length; length += sized(7, 1)) {
    writeFileSync(path, whole.subarray(0, length))
    const { saved, warning } = file.load()
    expect(saved).toEqual(stateAt(1))
    expect(warning).toContain(path)
  }
})

test('a damaged copy does no harm, but is told', async () => {
  const file = start()
  await file.save(stateAt(1))
  writeFileSync(`${path}.copy`, 'junk')
  expect(file.load().saved).toEqual(stateAt(1))
  expect(file.load().warning).toContain('sentinel.state.copy')
})

test('of a missing file it is told which one is used, and of a missing copy that a save makes it', async () => {
  const file = start()
  await file.save(stateAt(1))
  rmSync(`${path}.copy`)
  expect(file.load().warning).toBe(`${path}.copy is missing; the next save makes it anew`)
  await start().save(stateAt(1))
  rmSync(path)
  expect(file.load().warning).toBe(`${path} is missing; its copy is used`)
})

test('a save that fails names the file, because the log of a Sentinel has nothing but that line', async () => {
  const file = start()
  mkdirSync(path)
  await expect(file.save(stateAt(1))).rejects.toThrow(`${path}: EISDIR`)
})

test('a main file that is newer than its copy wins: a crash came between the two renames', async () => {
  const file = start()
  await file.save(stateAt(1))
  const old = readFileSync(path)
  await file.save(stateAt(2))
  writeFileSync(`${path}.copy`, old)
  expect(file.load().saved).toEqual(stateAt(2))
})

test('leftovers of a save that a crash cut short are ignored', async () => {
  const file = start()
  await file.save(stateAt(1))
  writeFileSync(`${path}.tmp`, 'half a st')
  expect(file.load()).toEqual({ saved: stateAt(1), warning: undefined })
  await start().save(stateAt(2))
  expect(existsSync(`${path}.tmp`)).toBe(false)
})

test('when both copies are damaged the refusal names them and the way out', async () => {
  const file = start()
  await file.save(stateAt(1))
  writeFileSync(path, readFileSync(path).subarray(0, 50))
  writeFileSync(`${path}.copy`, '')
  expect(() => file.load()).toThrow(
    expect.objectContaining({
      code: 'E_STATE_DAMAGED',
      message: expect.stringMatching(/sentinel\.state: .*sentinel\.state\.copy: /),
      hint: expect.stringContaining('backup'),
    }),
  )
})

test('what another version wrote is refused without the advice to delete it, even if an older copy can be read', async () => {
  const file = start()
  await file.save(stateAt(1))
  writeFileSync(path, 'vedette-state 3 3 ab\n{}\n')
  expect(() => file.load()).toThrow(
    expect.objectContaining({
      message: `the state of this Sentinel cannot be read: ${path}: its format version is 3, this program reads version 2`,
      hint: expect.stringMatching(/another version of Vedette wrote it.*do not delete it/),
    }),
  )
})

/** Only root can be another user. */
test.skipIf(process.getuid?.() !== 0)(
  'copies that this user may not read are sound: the refusal does not advise to delete them',
  async () => {
    const file = start()
    await file.save(stateAt(1))
    chmodSync(folder, 0o755)
    process.seteuid?.(NOBODY)
    const refused = caught(() => file.load())
    process.seteuid?.(0)
    expect(refused).toMatchObject({
      message: `the state of this Sentinel cannot be read: ${path}: EACCES; ${path}.copy: EACCES`,
      hint: 'give both files to the user that this Sentinel runs as (chown)',
    })
  },
)

/** The user id of nobody, on most systems. */
const NOBODY = 65_534

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('one damaged and one missing copy is no first start', () => {
  writeFileSync(path, 'junk')
  expect(() => start().load()).toThrow(/cannot be read/)
})

test('a folder that is missing is not made: under a mistyped name the votes would be gone', () => {
  const deep = join(folder, 'mistyped', 'sentinel.state')
  expect(() => new StateFile(deep)).toThrow(
    expect.objectContaining({
      code: 'E_STATE_FOLDER',
      message: `the state folder ${join(folder, 'mistyped')}: there is no such folder`,
      hint: expect.stringContaining(`mkdir -p ${join(folder, 'mistyped')}`),
    }),
  )
  expect(existsSync(join(folder, 'mistyped'))).toBe(false)
})

test('a folder that cannot be written is refused at once, with its name', () => {
  writeFileSync(join(folder, 'file'), '')
  const inside = join(folder, 'file', 'sentinel.state')
  expect(() => new StateFile(inside)).toThrow(
    expect.objectContaining({
      code: 'E_STATE_FOLDER',
      message: expect.stringContaining(join(folder, 'file')),
      hint: expect.stringContaining('state-dir'),
    }),
  )
})

test('a save that fails rejects and leaves the old state readable', async () => {
  const file = start()
  await file.save(stateAt(1))
  // The files are opened behind the first one.
  await file.save(stateAt(1))
  // A folder in the way of the temporary file: even root cannot write there. And the file is not the one it was.
  mkdirSync(`${path}.copy.tmp`)
  replaceBySame(path)
  await expect(file.save(stateAt(2))).rejects.toThrow()
  expect(file.load().saved).toEqual(stateAt(1))
})
