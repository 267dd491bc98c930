/**
 * One process at a time on one file: two Sentinels that share a state file would share a vote, and two
 * data nodes would write their commands into each other's append-only file. The lock is a Unix socket
 * that the holder listens on, so it ends with the process, however that ends: a dead process answers on
 * no socket.
 *
 * Two complications are the sockets that dead processes leave behind, and two processes that start at
 * the same moment. So names are never shared: each contender listens on a socket of its own, which is
 * visible before the contender looks for others. Any process may remove a dead socket, for its name is
 * never used again. Of two contenders that are both starting, the one with the lower name wins: the
 * other learns of it when it asks, or when it is asked, and one of the two must happen because each is
 * visible before it looks.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { reasonOf, StartError, type StartErrorCode } from '../start-error.ts'

export interface Lock {
  /** Why there is no lock after all; undefined while we hold it. */
  readonly missing: string | undefined
  release(): void
}

/** What is locked, for the message to the process that is refused. */
export interface LockSubject {
  readonly code: StartErrorCode
  /** Makes `the state file …` of the path that was to be locked. */
  readonly what: (path: string) => string
  readonly hint: string
}

export interface LockOptions {
  /** A Sentinel's state file by default. */
  readonly subject?: LockSubject
  // For tests, which arrange the moments between the steps:
  readonly patienceMs?: number
  /** Distinguishes us from another contender with the same process id; random by default. */
  readonly mark?: string
  /**
   * `in sight`: our socket is visible and we have not looked yet; `looked`: we have looked and not
   * decided yet.
   */
  readonly pause?: (moment: 'in sight' | 'looked') => Promise<void>
}

/** A stopped process holds its lock without answering. */
const PATIENCE_MS = 2_000

/** Throws a StartError that names the process which already holds the file at `path`. */
export async function lockFile(path: string, options: LockOptions = {}): Promise<Lock> {
  const folder = realpathSync(dirname(path))
  const prefix = `${basename(path)}.lock-`
  const mark = options.mark ?? randomBytes(4).toString('hex')
  const name = `${prefix}${process.pid}-${mark}`
  const contender = new Contender(folder, name, options.subject ?? STATE_FILE)
  const missing = await contender.listen()
  if (missing !== undefined) return { missing, release: () => undefined }
  try {
    await options.pause?.('in sight')
    await lookAround(contender, prefix, options.patienceMs ?? PATIENCE_MS)
    await options.pause?.('looked')
    contender.decide()
  } catch (error) {
    contender.release()
    if (error instanceof StartError) throw error
    return { missing: reasonOf(error), release: () => undefined }
  }
  const release = () => {
    process.off('exit', release)
    contender.release()
  }
  process.once('exit', release)
  return { missing: undefined, release }
}

const STATE_FILE: LockSubject = {
  code: 'E_STATE_IN_USE',
  what: (path) => `the state file ${path}`,
  hint: 'stop that process, or give this Sentinel another port or another state-dir',
}

/** One contender's answer to another that asks. */
type Word = 'starting' | 'holding'

class Contender {
  readonly folder: string
  readonly name: string
  readonly subject: LockSubject
  #word: Word = 'starting'
  /** Contenders with lower names that asked while we were starting: they continue, we do not. */
  readonly #betters: string[] = []
  #server: Server | undefined

  constructor(folder: string, name: string, subject: LockSubject) {
    this.folder = folder
    this.name = name
    this.subject = subject
  }

  /** Makes the socket visible. Returns a reason where sockets cannot be used. */
  async listen(): Promise<string | undefined> {
    const hidden = `.${this.name}`
    const server = createServer((socket) => this.#answer(socket))
    const fault = await new Promise<unknown>((resolve) => {
      server.once('error', resolve)
      near(this.folder, hidden, (at) => server.listen(at(hidden), () => resolve(undefined)))
    })
    if (fault !== undefined) return reasonOf(fault)
    server.on('error', () => undefined)
    // The lock alone must not keep the process alive.
    server.unref()
    this.#server = server
    // Between creation and the first listen a socket looks dead, so it is created under a hidden
    // name; contenders look only at this one.
    renameSync(join(this.folder, hidden), join(this.folder, this.name))
    return undefined
  }

  /**
   * From here on other contenders are refused. Throws if a contender with a lower name has asked
   * meanwhile.
   */
  decide(): void {
    const [better] = this.#betters
    if (better !== undefined) throw held(this, better, 'starting')
    this.#word = 'holding'
  }

  release(): void {
    this.#server?.close()
    this.#server = undefined
    rmSync(join(this.folder, this.name), { force: true })
  }

  #answer(socket: Socket): void {
    socket.on('error', () => undefined)
    socket.setEncoding('latin1').once('data', (asker) => {
      if (this.#word === 'starting' && String(asker).trim() < this.name) {
        this.#betters.push(String(asker).trim())
      }
      socket.end(this.#word)
    })
    socket.setTimeout(PATIENCE_MS, () => socket.destroy())
    socket.unref()
  }
}

async function lookAround(self: Contender, prefix: string, patienceMs: number): Promise<void> {
  const names = readdirSync(self.folder)
  for (const name of names) if (name.startsWith(`.${prefix}`)) forgetOld(join(self.folder, name))
  const others = names.filter((name) => name.startsWith(prefix) && name !== self.name)
  for (const name of others) {
    const word = await askUntilClear(self, name, patienceMs)
    if (word === 'dead') rmSync(join(self.folder, name), { force: true })
    else if (word !== 'starting' || name < self.name) throw held(self, name, word)
  }
}

/** Left by a contender that died before its socket became visible. */
function forgetOld(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs > HIDDEN_MAX_MS)
    rmSync(path, { force: true })
}

const HIDDEN_MAX_MS = 60_000

/** A contender that dies or leaves while it is asked gives no answer; asked again, it is dead. */
async function askUntilClear(self: Contender, name: string, patienceMs: number) {
  for (let times = 0; times < 5; times++) {
    const word = await ask(self, name, patienceMs)
    if (word !== 'unclear') return word
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return 'silent'
}

/** `barred`: the socket is another user's, and we may not ask it. */
type Answer = Word | 'silent' | 'barred' | 'dead' | 'unclear'

/** No answer within the time counts as holding the lock. */
function ask(self: Contender, name: string, patienceMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    near(self.folder, name, (at) => {
      const socket = createConnection(at(name))
      let word = ''
      socket.setEncoding('latin1').on('data', (text) => {
        word += text
      })
      socket.once('connect', () => socket.write(self.name))
      socket.once('error', (error) => resolve(answerIn(error)))
      socket.once('end', () => resolve(isWord(word) ? word : 'unclear'))
      const stopWaiting = wait(patienceMs, () => {
        resolve('silent')
        socket.destroy()
      })
      socket.once('close', stopWaiting)
    })
  })
}

/** How often a process looks whether there is an answer before it calls the other one silent. */
const LOOKS = 20

/**
 * Calls `late` after so long, unless it is told to stop. The time is counted in pieces, and a piece counts
 * once, however late it ends: while a process stands still itself it hears no answer, and all contenders
 * that stand still at once would refuse each other. Between two pieces what has arrived is read.
 */
function wait(patienceMs: number, late: () => void): () => void {
  let looks = 0
  const timer = setInterval(() => {
    if (++looks < LOOKS) return
    clearInterval(timer)
    late()
  }, patienceMs / LOOKS)
  return () => clearInterval(timer)
}

function isWord(text: string): text is Word {
  return text === 'starting' || text === 'holding'
}

function answerIn(error: unknown): Answer {
  const reason = reasonOf(error)
  if (reason === 'EACCES' || reason === 'EPERM') return 'barred'
  return reason === 'ECONNREFUSED' || reason === 'ENOENT' ? 'dead' : 'unclear'
}

/** The path of a socket may have 108 bytes, on some systems 104. */
const PATH_MAX_BYTES = 100

/**
 * Both `listen` and `connect` resolve the path immediately, so a long path can be shortened by
 * changing to its folder.
 */
function near(folder: string, file: string, use: (at: (name: string) => string) => void): void {
  const longest = Buffer.byteLength(join(folder, file))
  if (longest <= PATH_MAX_BYTES) return use((name) => join(folder, name))
  const before = process.cwd()
  process.chdir(folder)
  try {
    use((name) => name)
  } finally {
    process.chdir(before)
  }
}

function held(self: Contender, name: string, word: Word | 'silent' | 'barred'): StartError {
  const path = join(self.folder, self.name.slice(0, self.name.lastIndexOf('.lock-')))
  const pid = /-(\d+)-[0-9a-f]+$/.exec(name)?.[1] ?? '?'
  if (word === 'barred') return barred(self, path, name, pid)
  const doing = word === 'silent' ? ', which does not answer,' : ''
  const use = word === 'starting' ? 'is about to use' : 'uses'
  const { code, what, hint } = self.subject
  return new StartError(code, `${what(path)} is taken: process ${pid}${doing} ${use} it`, hint)
}

/** Most often a program was run as root once, and was killed: its socket stays, and nobody listens. */
function barred(self: Contender, path: string, name: string, pid: string): StartError {
  const { code, what, hint } = self.subject
  const socket = join(self.folder, name)
  return new StartError(
    code,
    `${what(path)} may be taken: process ${pid} of another user holds or has left ${socket}, which this user may not ask`,
    `if there is no such process any more, delete that socket; else ${hint}`,
  )
}
