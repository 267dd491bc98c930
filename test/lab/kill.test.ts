/**
 * SIGKILL at any moment, on real processes and a real disk: what was acknowledged is there after the next
 * start, whatever appendfsync says, because the kernel keeps what was written to it. With save points only
 * the last save that was completed is there. What is there is always a beginning of what was written.
 *
 * Each policy lives on in the same folder, so that what one kill leaves is what the next start finds.
 * VEDETTE_KILLS says how many rounds; the moments come from a seed, and are counted in answers, not in
 * milliseconds.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRng, type Rng } from '../../src/base/rng.ts'
import {
  addBallast,
  FROM_THE_START,
  inspect,
  KillWriter,
  Pipeline,
  type Progress,
  savedProgress,
} from '../support/kill-writer.ts'
import { freePorts, node, type Program, stopAll, until } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const ROUNDS = Number(process.env.VEDETTE_KILLS ?? 12)
const POLICIES = ['always', 'everysec', 'no', 'save points'] as const
const BOUND_MS = 30_000
const MAX_STEPS = 3_000
/** After a save or a rewrite has begun: few enough to meet it while it runs. */
const STEPS_DURING = [0, 0, 20, 100, 300]
/** Also without anybody asking for one. */
const REWRITES = ['auto-aof-rewrite-percentage 50', 'auto-aof-rewrite-min-size 256kb']
const TEMPORARY = /^temp-|\.temp$|^temp_/

type Policy = (typeof POLICIES)[number]
type Work = 'nothing' | 'BGSAVE' | 'BGREWRITEAOF'

let folder = ''
let programs: Program[] = []

beforeEach(() => {
  folder = scratchFolder('kill')
  programs = []
})
afterEach(() => stopAll(folder, programs))

test.each(POLICIES.map((policy, index) => [policy, index] as const))(
  'a killed node has what it promised: %s',
  { timeout: 30_000 * ROUNDS },
  async (policy, index) => {
    const rounds = Math.floor((ROUNDS + POLICIES.length - 1 - index) / POLICIES.length)
    const life = new Life(policy, (await freePorts(1))[0] as number)
    for (let round = 0; round < rounds; round++) await life.round(createRng(`${policy} ${round}`))
    process.stderr.write(`${policy}: ${life.summary()}\n`)
    expect(life.problems).toEqual([])
  },
)

class Life {
  readonly problems: string[] = []
  readonly #policy: Policy
  readonly #program: Program
  /** What the next start must at least find. */
  #promised: Progress = FROM_THE_START
  /** What it can at most find. */
  #written: Progress = FROM_THE_START
  #rounds = 0
  #acknowledged = 0
  #unacknowledged = 0
  #metAtWork = 0

  constructor(policy: Policy, port: number) {
    this.#policy = policy
    const lines =
      policy === 'save points'
        ? ['save 1 2000']
        : ['appendonly yes', `appendfsync ${policy}`, ...REWRITES]
    this.#program = node(folder, port, lines)
    programs.push(this.#program)
  }

  async round(rng: Rng): Promise<void> {
    const found = this.#rounds === 0 ? await this.#begin() : this.#promised
    const writer = await KillWriter.open(this.#program.port, found)
    const steps = (count: number) => this.#acknowledgedMore(writer, count)
    await steps(rng.below(MAX_STEPS))
    const work = rng.pick(this.#works())
    const saved = await this.#set(work, writer)
    await steps(work === 'nothing' ? rng.below(MAX_STEPS) : rng.pick(STEPS_DURING))
    await this.#program.kill()
    await writer.end()
    this.#metAtWork += this.#isAtWork() ? 1 : 0
    this.#remember(writer, found, saved)
    await this.#start()
  }

  summary(): string {
    const steps = `${this.#acknowledged} steps acknowledged, ${this.#unacknowledged} kept beyond`
    return `${this.#rounds} kills, ${this.#metAtWork} of them at work on files, ${steps}`
  }

  #works(): readonly Work[] {
    const isLogged = this.#policy !== 'save points'
    return isLogged ? ['nothing', 'BGSAVE', 'BGREWRITEAOF', 'BGREWRITEAOF'] : ['nothing', 'BGSAVE']
  }

  async #begin(): Promise<Progress> {
    const found = await this.#start()
    await addBallast(this.#program.port)
    return found
  }

  /** Starts it and gives what it has, which is looked at from all sides. */
  async #start(): Promise<Progress> {
    const program = this.#program
    program.start()
    await until('it answers', BOUND_MS, () => {
      if (!program.isRunning) throw new Error(`it ended: ${program.log().slice(-2000)}`)
      return isReady(program.port)
    })
    const { progress, problems } = await inspect(program.port)
    this.#judge(progress, problems)
    this.#promised = progress
    this.#written = progress
    return progress
  }

  #judge(progress: Progress, problems: readonly string[]): void {
    const where = `round ${this.#rounds}`
    this.problems.push(...problems.map((problem) => `${where}: ${problem}`))
    for (const [connection, steps] of progress.entries()) {
      const [least, most] = [this.#promised[connection] ?? 0, this.#written[connection] ?? 0]
      this.#unacknowledged += Math.max(0, steps - least)
      if (steps >= least && steps <= most) continue
      this.problems.push(`${where}: connection ${connection} is at ${steps}, not ${least}..${most}`)
    }
  }

  /** Gives what was acknowledged before a save began that is known to be complete. */
  async #set(work: Work, writer: KillWriter): Promise<Progress | undefined> {
    const pipeline = await Pipeline.open(this.#program.port)
    const before = writer.acknowledged
    let completed: Progress | undefined
    if (work !== 'nothing') {
      // One may be running already: a save point was reached, or the file has grown.
      const reply = await pipeline.call(work)
      const isRefused = reply?.kind === 'error' && !/in progress|is active/.test(reply.text)
      if (isRefused) this.problems.push(`${work}: ${reply.text}`)
    } else if (this.#policy === 'save points') {
      const reply = await pipeline.call('SAVE')
      if (reply?.kind === 'simple') completed = before
    }
    pipeline.close()
    return completed
  }

  #remember(writer: KillWriter, found: Progress, saved: Progress | undefined): void {
    this.#rounds++
    this.#written = writer.sent
    this.#promised = this.#policy === 'save points' ? (saved ?? found) : writer.acknowledged
    if (this.#policy === 'save points') this.#expectSaved()
    this.#acknowledged += writer.acknowledgedSteps - found.reduce((sum, one) => sum + one, 0)
  }

  /** The next start finds what is in the dump, which is neither too old nor too new. */
  #expectSaved(): void {
    const saved = savedProgress(join(this.#program.folder, 'dump.rdb'))
    this.#judge(saved, [])
    this.#promised = saved
    this.#written = saved
  }

  async #acknowledgedMore(writer: KillWriter, steps: number): Promise<void> {
    const goal = writer.acknowledgedSteps + steps
    const isReached = () => writer.acknowledgedSteps >= goal
    while (!isReached() && this.#program.isRunning) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (!isReached()) throw new Error(`it ended by itself: ${this.#program.log().slice(-2000)}`)
  }

  /** Whether it was killed in the middle of a save or a rewrite. */
  #isAtWork(): boolean {
    return readdirSync(this.#program.folder, { recursive: true, encoding: 'utf8' }).some((path) =>
      TEMPORARY.test(path.split('/').at(-1) ?? ''),
    )
  }
}

async function isReady(port: number): Promise<boolean> {
  const pipeline = await Pipeline.open(port)
  const reply = await pipeline.call('PING')
  pipeline.close()
  return reply?.kind === 'simple'
}
