/**
 * Everything a benchmark starts, and the certainty that none of it stays behind: processes, known by
 * their pid, and one temporary folder. A signal ends them before us; if we are killed ourselves, the
 * guard of `vedette up` does it, which waits at the other end of a pipe and ends stopped processes too.
 */
import { fork, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithParents } from '../../scripts/parents.mjs'
import { Member } from './member.mjs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Runs `work(workshop)`; whatever comes of it, nothing it started is left. */
export async function inWorkshop(work) {
  const workshop = await Workshop.open()
  let stopping
  const onSignal = (name) => {
    stopping ??= workshop.close().then(() => process.exit(128 + constants.signals[name]))
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  endWithParents()
  try {
    return await work(workshop)
  } finally {
    // After a signal the work breaks off with some error or other, which is nobody's news.
    await (stopping ?? workshop.close())
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}

class Workshop {
  #folder
  #guard
  #members = new Set()
  #isClosed = false

  static async open() {
    // Compiled, so it cannot be imported before it is known that there is a build.
    const { Guard } = await import('../../dist/cli/up/guard.js')
    const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-'))
    return new Workshop(folder, new Guard(folder))
  }

  constructor(folder, guard) {
    this.#folder = folder
    this.#guard = guard
  }

  /** A new folder for one member or one run. */
  createFolder(name) {
    const path = join(this.#folder, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  /** Starts a program; its output goes to `log` in its folder. */
  spawn({ title, command, args, folder }) {
    const logPath = join(folder, `${title.replaceAll(/\W+/g, '-')}.log`)
    const log = openSync(logPath, 'a')
    return this.#adopt(
      new Member(title, spawn(command, args, { stdio: ['ignore', log, log] }), logPath),
    )
  }

  /** Starts a script of ours with a channel to it. */
  fork({ title, script, args }) {
    return this.#adopt(new Member(title, fork(script, args, { stdio: 'inherit' })))
  }

  /** Kills these and waits for the kernel to have taken them away. */
  async end(members) {
    await Promise.all(members.map((member) => member.kill()))
    for (const member of members) this.#members.delete(member)
  }

  async close() {
    this.#isClosed = true
    await this.end([...this.#members])
    await this.#guard.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #adopt(member) {
    const { child } = member
    this.#members.add(member)
    if (child.pid !== undefined) this.#guard.watch(child.pid)
    child.once('exit', () => this.#guard.release(child.pid))
    // A signal came while a run was being prepared.
    if (this.#isClosed) child.kill('SIGKILL')
    return member
  }
}
