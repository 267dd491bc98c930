/**
 * Everything on this machine that belongs to a run carries the process id of its runner in its
 * name. A runner that was killed cannot clean up; the next one finds what has no living owner and
 * removes it.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '../../io/files/temporary-folder.ts'
import { runToolSync } from './tool.ts'

/** Prefix of namespaces and of links, whose names may have 15 characters in all. */
const NAME_PREFIX = 'vdt'
const FOLDER_PREFIX = 'vedette-run-'
const OWNED_NAME = /^vdt(\d+)[-.]/
const OWNED_FOLDER = /^vedette-run-(\d+)-/

/** The folder where iproute2 keeps the names of namespaces. */
const NAMESPACES = '/run/netns'

export function ownedPrefix(): string {
  return `${NAME_PREFIX}${process.pid}`
}

/** Makes the folder of a run. Throws a StartError. */
export function makeOwnedFolder(): string {
  return temporaryFolder('a run on processes', `${FOLDER_PREFIX}${process.pid}-`)
}

/** Where no folder could be made, none is left. */
function temporaryNames(): readonly string[] {
  try {
    return readdirSync(tmpdir())
  } catch {
    return []
  }
}

/** Removes what runners left behind that do not run any more. */
export function removeLeftovers(): void {
  removeOwned((pid) => pid !== process.pid && !isAlive(pid))
}

/** Removes what carries one of these process ids, after killing what still runs there. */
export function removeOwned(isDone: (pid: number) => boolean): void {
  for (const name of ownedNames(namespaces(), OWNED_NAME, isDone)) removeNamespace(name)
  for (const name of ownedNames(links(), OWNED_NAME, isDone)) {
    runToolSync('ip', ['link', 'delete', name])
  }
  for (const name of ownedNames(temporaryNames(), OWNED_FOLDER, isDone)) {
    removeFolder(join(tmpdir(), name))
  }
}

/** What exists of a dead or living runner, for tests that nothing does. */
export function ownedBy(pid: number): readonly string[] {
  const isIts = (owner: number): boolean => owner === pid
  return [
    ...ownedNames(namespaces(), OWNED_NAME, isIts),
    ...ownedNames(links(), OWNED_NAME, isIts),
    ...ownedNames(temporaryNames(), OWNED_FOLDER, isIts),
  ]
}

/**
 * Every process in the namespace belongs to the run it was made for: no other program knows its
 * name.
 */
export function removeNamespace(name: string): void {
  const pids = runToolSync('ip', ['netns', 'pids', name]).stdout ?? ''
  for (const pid of pids.split('\n').filter((line) => line !== '')) kill(Number(pid))
  runToolSync('ip', ['netns', 'delete', name])
}

/** The folders in it may be small disks, which are unmounted first. */
export function removeFolder(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    runToolSync('umount', ['--quiet', '--lazy', join(folder, name)])
  }
  rmSync(folder, { recursive: true, force: true })
}

function ownedNames(
  names: readonly string[],
  pattern: RegExp,
  isWanted: (pid: number) => boolean,
): readonly string[] {
  return names.filter((name) => {
    const pid = pattern.exec(name)?.[1]
    return pid !== undefined && isWanted(Number(pid))
  })
}

function namespaces(): readonly string[] {
  return existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : []
}

function links(): readonly string[] {
  return readdirSync('/sys/class/net')
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is alive, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended in between, which is what we wanted.
  }
}
