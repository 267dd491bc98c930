/**
 * The temporary folder of one run of the tests. TMPDIR points to it, for the tests and for every program
 * they start; at the end it must be empty, or the run fails and names what it found. It is removed in any
 * case, and so are those of runs that were killed and could not.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isAlive } from '../../src/engine/process/leftovers.ts'

/** Short: a path in it must fit a socket. The number is the process of the run. */
const OF_A_RUN = /^vedette-run-(\d+)$/
/** A program that has been told to end may take this long to remove its files. */
const GRACE_MS = 10_000

export default function setup(): () => Promise<void> {
  const all = tmpdir()
  // Called for each project of a run.
  if (OF_A_RUN.test(basename(all))) return async () => undefined
  const before = process.env.TMPDIR
  removeOrphans(all)
  const folder = join(all, `vedette-run-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.env.TMPDIR = folder
  return async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    const left = await leftovers(folder)
    rmSync(folder, { recursive: true, force: true })
    if (left.length === 0) return
    // An exception in a teardown is shown, but does not fail the run.
    process.exitCode = 1
    throw new Error(`tests left behind in ${folder}: ${left.join(' ')}`)
  }
}

async function leftovers(folder: string): Promise<string[]> {
  const endMs = Date.now() + GRACE_MS
  for (;;) {
    const left = readdirSync(folder).filter(isOurs)
    if (left.length === 0 || Date.now() > endMs) return left
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Node, the browser and the test runner keep their own files there. */
function isOurs(name: string): boolean {
  return !/^(node-|v8-|vitest-|\.org\.chromium|org\.chromium|\.com\.google|com\.google)/.test(name)
}

function removeOrphans(all: string): void {
  for (const name of readdirSync(all)) {
    const pid = Number(OF_A_RUN.exec(name)?.[1])
    if (pid > 0 && !isAlive(pid)) rmSync(join(all, name), { recursive: true, force: true })
  }
}
