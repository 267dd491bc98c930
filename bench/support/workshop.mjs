/**
 * Everything that a benchmark starts, and the guarantee that none of it stays behind: processes, known
 * by their pid, and one temporary folder. A signal ends them before us; if we are killed ourselves, the
 * guard of `vedette up` does that, which waits at the other end of a pipe and ends stopped processes
 * too.
 */
import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithParents } from '../../scripts/parents.mjs'
import { LOOPBACK } from './host.mjs'
import { Member } from './member.mjs'
import { importBuilt } from './programs.mjs'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Runs `work(workshop)`; whatever happens in it, nothing it started is left. */
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
    // After a signal the work fails with some error, which is not worth reporting.
    await (stopping ?? workshop.close())
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}

class Workshop {
  #folder
  #guard
  #members = new Set()
  #closers = []
  #isClosed = false

  static async open() {
    const { Guard } = await importBuilt('cli/up/guard.js')
    const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-'))
    return new Workshop(folder, new Guard(folder))
  }

  constructor(folder, guard) {
    this.#folder = folder
    this.#guard = guard
  }

  /** True once it was told to end: what fails then is not worth reporting. */
  get isClosed() {
    return this.#isClosed
  }

  /** A new folder for one member or one run. */
  createFolder(name) {
    const path = join(this.#folder, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  /** Also does this at the end, when no process of ours runs any more. */
  atEnd(close) {
    this.#closers.push(close)
  }

  /** Starts a program on a host; its output goes to a log in its folder. */
  spawn({ title, command, args, folder, host = LOOPBACK }) {
    const logPath = join(folder, `${title.replaceAll(/\W+/g, '-')}.log`)
    const log = openSync(logPath, 'a')
    const child = spawn(...host.commandFor(command, args), { stdio: ['ignore', log, log] })
    // Thousands of open logs would be more than a process may have.
    closeSync(log)
    return this.#adopt(new Member(title, child, logPath))
  }

  /** Starts one of our scripts on a host, with a channel to it. */
  fork({ title, script, args, host = LOOPBACK }) {
    const command = host.commandFor(process.execPath, [script, ...args])
    const child = spawn(...command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    return this.#adopt(new Member(title, child))
  }

  /** Kills these and waits until the kernel has removed them. */
  async end(members) {
    await Promise.all(members.map((member) => member.kill()))
    for (const member of members) this.#members.delete(member)
  }

  /** The same for all that run, because it is unknown what a failed run has left. */
  endAll() {
    return this.end([...this.#members])
  }

  async close() {
    this.#isClosed = true
    await this.endAll()
    for (const close of this.#closers) close()
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
