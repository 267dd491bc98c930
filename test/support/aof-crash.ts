/**
 * Power cuts under a node with an append-only file. A random history is played once, on a slow disk, and
 * every request to the disk is recorded. For each point between two requests the files are rebuilt as
 * they were then, the power goes, and a new node starts from what is left of them.
 *
 * Every change has a number and its client is told that number. So at any point it is known which changes
 * may have been observed: in an answer, a read or the replication stream.
 */
import { createRng, type Rng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { DataNode } from '../../src/server/node.ts'
import { AofFiles } from '../../src/server/persistence/aof-files.ts'
import { AofOpening } from '../../src/server/persistence/aof-opening.ts'
import type { FileAnswer, FileRequest, FileRequestId } from '../../src/server/persistence/files.ts'
import type { PersistenceHost } from '../../src/server/persistence/host.ts'
import { Jobs } from '../../src/server/persistence/jobs.ts'
import { LoadProgress } from '../../src/server/persistence/load-progress.ts'
import { UnreadDump } from '../../src/server/persistence/unread-dump.ts'
import { type NodePort, SIMULATED_PROCESS } from '../../src/server/port.ts'
import { Settings } from '../../src/server/settings/settings.ts'
import { keyspaceDigest } from '../../src/server/values/digest.ts'
import { DataFiles } from '../../src/sim/processes/data-files.ts'

export type Policy = 'always' | 'everysec' | 'no'

/** One operation of the disk, and its time. */
interface Operation {
  readonly atMs: number
  /** Whether it leaves the files as they were. */
  readonly isIdle: boolean
  readonly carryOut: CarryOut<unknown>
}

type CarryOut<T> = (files: DataFiles, syncs: Map<FileRequestId, () => FileAnswer>) => T

export interface Recording {
  readonly policy: Policy
  readonly directives: Record<string, string>
  readonly operations: readonly Operation[]
  /** A fingerprint of the state after each change; the first is that of no change. */
  readonly states: readonly string[]
  /** When each change was made; the first has number 1. */
  readonly madeAtMs: readonly number[]
  /** A change was observed when this many operations had been carried out. */
  readonly heard: readonly { readonly change: number; readonly operations: number }[]
  readonly endMs: number
  readonly start: Start
  /** The folder was deleted after this many operations and changes; undefined if it was not. */
  readonly gone: { readonly operations: number; readonly change: number } | undefined
}

/** What the node found when it started. */
interface Start {
  readonly files: () => DataFiles
  /** The states of the life before, up to the one that was loaded. */
  readonly states: readonly string[]
  /** This change must be there, whatever happens. */
  readonly floor: number
}

const IDLE: ReadonlySet<FileRequest['kind']> = new Set(['list', 'size', 'read', 'makeFolder'])
const WALL_START_MS = 1_700_000_000_000
const LATER_MS = WALL_START_MS + 10 ** 9
const CHANGES = 24
/** After this long, a node whose folder was deleted has a new one. */
const HEALED_MS = 5_000
const AOF_FOLDER = 'appendonlydir'
const DRAIN_MS = 3_000
/** By then the node has opened its files. */
const OPENED_MS = 5_000
const ENDS = { remoteHost: '127.0.0.1', remotePort: 5, localHost: '127.0.0.1', localPort: 6379 }

/** A node on a disk that answers late. */
class SlowDiskNode implements NodePort {
  readonly files: DataFiles
  readonly operations: Operation[] = []
  readonly heard: { change: number; operations: number }[] = []
  readonly logs: string[] = []
  readonly node: DataNode
  exitStatus: number | undefined
  monoMs = 0
  readonly #rng: Rng
  readonly #syncs = new Map<FileRequestId, () => FileAnswer>()
  /** When the last request on each path is answered: requests on one path are carried out in order. */
  readonly #busyUntilMs = new Map<string, number>()
  #answers: { readonly atMs: number; readonly give: () => void }[] = []

  constructor(directives: Record<string, string>, rng: Rng, files = new DataFiles()) {
    this.#rng = rng
    this.files = files
    const settings = new Settings()
    for (const [name, value] of Object.entries(directives)) settings.load(name, [value])
    settings.markFiled()
    this.node = new DataNode({
      settings,
      port: this,
      rng: rng.fork('node'),
      now: this.now,
      hasConfigFile: false,
    })
  }

  get now() {
    return { monoMs: this.monoMs, wallMs: WALL_START_MS + this.monoMs }
  }

  get digest(): string {
    return keyspaceDigest(this.node.keyspace)
  }

  /** Lets time pass up to a moment. */
  runUntil(endMs: number): void {
    while (this.exitStatus === undefined) {
      const wakeMs = this.node.nextWakeUpMs() ?? Number.POSITIVE_INFINITY
      const answer = this.#answers[0]
      const nextMs = Math.max(this.monoMs, Math.min(wakeMs, answer?.atMs ?? Infinity))
      if (nextMs > endMs) break
      this.monoMs = nextMs
      if (answer !== undefined && answer.atMs <= nextMs) {
        this.#answers.shift()
        answer.give()
      } else {
        this.node.wake(this.now)
        this.monoMs++
      }
    }
    this.monoMs = Math.max(this.monoMs, endMs)
  }

  askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined {
    const isIdle = IDLE.has(request.kind)
    const path = pathOf(request)
    const isBusy = (this.#busyUntilMs.get(path) ?? -1) >= this.monoMs
    if (request.kind === 'sync' && !isBusy) {
      this.#record(true, (files, syncs) => syncs.set(id, files.beginSync(request.path)))
      const end: CarryOut<FileAnswer> = (_files, syncs) => (syncs.get(id) as () => FileAnswer)()
      this.#answerLater(id, path, { isIdle: false, carryOut: end })
      return undefined
    }
    const ask = (files: DataFiles) => files.ask(request)
    const mayBeNow = request.kind !== 'rename' && !isBusy
    if (mayBeNow && this.#rng.chance(1, 2)) return this.#record(isIdle, ask)
    this.#answerLater(id, path, { isIdle, carryOut: ask })
    return undefined
  }

  appendNow(path: string, bytes: string) {
    return this.#record(false, (files) => files.appendNow(path, bytes))
  }

  write(_connection: number, bytes: string): void {
    for (const match of bytes.matchAll(/tag:(\d+)/g)) {
      this.heard.push({ change: Number(match[1]), operations: this.operations.length })
    }
  }

  queuedBytes(): number {
    return 0
  }

  close(): void {}
  connect(): void {}
  ready(): void {}

  saveSettings(): undefined {
    return undefined
  }

  processFacts() {
    return SIMULATED_PROCESS
  }

  log(_level: string, text: string): void {
    this.logs.push(text)
  }

  exit(status: number): void {
    this.exitStatus = status
  }

  /** Deletes the folder with everything in it. Returns after how many operations. */
  takeFolderAway(): number {
    this.#record(false, (files) => files.takeAway(AOF_FOLDER))
    return this.operations.length
  }

  #record<T>(isIdle: boolean, carryOut: CarryOut<T>): T {
    this.operations.push({ atMs: this.monoMs, isIdle, carryOut })
    return carryOut(this.files, this.#syncs)
  }

  #answerLater(
    id: FileRequestId,
    path: string,
    { isIdle, carryOut }: Omit<Operation, 'atMs' | 'carryOut'> & { carryOut: CarryOut<FileAnswer> },
  ): void {
    const atMs = Math.max(this.monoMs + this.#latencyMs(), this.#busyUntilMs.get(path) ?? 0)
    this.#busyUntilMs.set(path, atMs)
    const give = () => this.node.fileAnswered(this.now, id, this.#record(isIdle, carryOut))
    this.#answers.push({ atMs, give })
    // Stable: the earlier request is answered first.
    this.#answers.sort((a, b) => a.atMs - b.atMs)
  }

  /** Mostly short; now and then the disk is busy with something else. */
  #latencyMs(): number {
    return this.#rng.chance(1, 12) ? this.#rng.below(400) : 1 + this.#rng.below(8)
  }
}

function pathOf(request: FileRequest): string {
  if (request.kind === 'rename') return request.from
  if (request.kind === 'journal') return ''
  return 'path' in request ? request.path : request.folder
}

/**
 * Creating a node takes longer than everything it does here, so one lends its commands to every
 * load.
 */
const lender = new SlowDiskNode({ save: '' }, createRng('lender'))
lender.runUntil(5_000)

/** A node without files that executes the same commands. */
interface Mirror {
  readonly digest: string
  run(argv: readonly string[]): void
}

let mirrors = 0

function newMirror(): Mirror {
  const { node } = lender
  const client = ++mirrors
  node.keyspace.replaceAll([])
  node.accepted(lender.now, client, ENDS)
  return {
    get digest() {
      return lender.digest
    },
    run: (argv) => node.received(lender.now, client, encodeCommand(argv)),
  }
}

/** What a client sends: one change, and a word that reveals its number. */
function change(number: number, rng: Rng): string[][] {
  const key = () => `key${rng.below(6)}`
  const tag = ['SET', 'marker', `tag:${number}`]
  const single: (() => string[])[] = [
    () => ['SET', key(), `value ${number}`],
    () => ['SET', key(), 'x'.repeat(rng.below(200)), 'PXAT', String(LATER_MS + number)],
    () => ['RPUSH', 'list', `item ${number}`],
    () => ['LPOP', 'list'],
    () => ['HSET', 'hash', `field${rng.below(4)}`, String(number)],
    () => ['SADD', 'set', String(number)],
    () => ['INCR', 'counter'],
    () => ['DEL', key(), key()],
    () => ['PEXPIREAT', key(), String(LATER_MS)],
    () => tag,
  ]
  if (rng.chance(1, 25)) return [['FLUSHALL']]
  if (rng.chance(1, 25)) return [['SWAPDB', '0', '1']]
  if (rng.chance(1, 3)) {
    const inner = Array.from({ length: 1 + rng.below(4) }, () => rng.pick(single)())
    return [['MULTI'], ...inner, tag, ['EXEC']]
  }
  return [rng.pick(single)()]
}

/** What happens besides changes. */
function distraction(rng: Rng): string[][] {
  if (rng.chance(1, 6)) return [['BGREWRITEAOF']]
  if (rng.chance(1, 4)) return [['SELECT', String(rng.below(3))]]
  return []
}

/** Plays one history. `isTakenAway`: the folder is deleted half-way. */
export function record(
  seed: string,
  policy: Policy,
  { start, isTakenAway = false }: { start?: Start; isTakenAway?: boolean } = {},
): Recording {
  const rng = createRng(seed)
  const directives: Record<string, string> = {
    appendonly: 'yes',
    appendfsync: policy,
    save: '',
    'auto-aof-rewrite-min-size': rng.pick(['64mb', '900b']),
    'aof-timestamp-enabled': rng.pick(['no', 'yes']),
  }
  const mirror = newMirror()
  const begun = start ?? { files: () => new DataFiles(), states: [mirror.digest], floor: 0 }
  if (start !== undefined) load(directives, start.files())
  const subject = new SlowDiskNode(directives, rng.fork('disk'), begun.files())
  subject.runUntil(OPENED_MS)
  for (const id of [1, 2, 3]) subject.node.accepted(subject.now, id, ENDS)
  // The third is a replica, and hears everything.
  subject.node.received(subject.now, 3, encodeCommand(['PSYNC', '?', '-1']))
  const states = [...begun.states]
  const madeAtMs = states.map(() => OPENED_MS)
  const end = states.length + CHANGES
  let gone: Recording['gone']
  while (states.length < end) {
    if (isTakenAway && gone === undefined && states.length > end - CHANGES / 2) {
      gone = { operations: subject.takeFolderAway(), change: states.length - 1 }
      // One turn does not know about it yet; later writes would be refused.
      if (rng.chance(1, 2)) play(subject, mirror, rng, states, madeAtMs)
      subject.runUntil(subject.monoMs + HEALED_MS)
    }
    play(subject, mirror, rng, states, madeAtMs)
    subject.runUntil(subject.monoMs + (rng.chance(1, 3) ? rng.below(900) : rng.below(6)))
  }
  subject.runUntil(subject.monoMs + DRAIN_MS)
  const { operations, heard, monoMs: endMs } = subject
  return { policy, directives, operations, states, madeAtMs, heard, endMs, start: begun, gone }
}

/** A new life after a crash at that point. */
export function recordAfter(
  before: Recording,
  at: number,
  kind: CrashKind,
  isTakenAway = false,
): Recording {
  const files = () => filesLeft(before, at, kind)
  const outcome = load(before.directives, files())
  if ('refused' in outcome) throw new Error(outcome.refused)
  const states = before.states.slice(0, before.states.lastIndexOf(outcome.digest) + 1)
  const floor = neededChange(before, at)
  return record(`life after ${at}`, before.policy, {
    start: { files, states, floor },
    isTakenAway,
  })
}

/** One turn of a client: a few changes in a row, or a read of what others have done. */
function play(
  subject: SlowDiskNode,
  mirror: Mirror,
  rng: Rng,
  states: string[],
  madeAtMs: number[],
): void {
  if (rng.chance(1, 4)) {
    subject.node.received(subject.now, 2, encodeCommand(['GET', 'marker']))
    return
  }
  let bytes = ''
  for (let count = 1 + rng.below(3); count > 0; count--) {
    const number = states.length
    const commands = [...distraction(rng), ...change(number, rng)]
    for (const argv of commands) bytes += encodeCommand(argv)
    bytes += encodeCommand(['ECHO', `tag:${number}`])
    for (const argv of commands) {
      if (argv[0] !== 'BGREWRITEAOF') mirror.run(argv)
    }
    states.push(mirror.digest)
    madeAtMs.push(subject.monoMs)
  }
  subject.node.received(subject.now, 1, bytes)
}

/** The files as they were after this many operations. */
function filesAfter(recording: Recording, operations: number): DataFiles {
  const files = recording.start.files()
  const syncs = new Map<FileRequestId, () => FileAnswer>()
  for (const { carryOut } of recording.operations.slice(0, operations)) carryOut(files, syncs)
  return files
}

/** The points between operations at which the files differ from those before. */
export function pointsOf({ operations }: Recording): number[] {
  const points = [0]
  for (const [at, { isIdle }] of operations.entries()) if (!isIdle) points.push(at + 1)
  return points
}

/** A killed process leaves everything as it was written. */
export type CrashKind = 'power' | 'kill'

function filesLeft(recording: Recording, at: number, kind: CrashKind): DataFiles {
  const files = filesAfter(recording, at)
  if (kind === 'power') files.losePower(createRng(`crash ${at}`))
  return files
}

/** What is wrong with what a new node finds after a crash at that point; undefined if nothing is. */
export function crash(recording: Recording, at: number, kind: CrashKind): string | undefined {
  return judge(recording, at, kind, load(recording.directives, filesLeft(recording, at, kind)))
}

/** The fingerprint of what is loaded, or why nothing is. */
type Outcome = { readonly digest: string } | { readonly refused: string }

function judge(
  recording: Recording,
  at: number,
  kind: string,
  outcome: Outcome,
): string | undefined {
  const place = `${kind}: after ${at} of ${recording.operations.length} operations`
  if ('refused' in outcome) return `${place}: ${outcome.refused}`
  const found = recording.states.lastIndexOf(outcome.digest)
  if (found < 0) return `${place}: the state is none of those there were`
  const needed = neededChange(recording, at)
  return found < needed
    ? `${place}: change ${needed} had to be kept, ${found} was found`
    : undefined
}

/** Loads as a node does when it starts. */
function load(directives: Record<string, string>, files: DataFiles): Outcome {
  const settings = new Settings()
  for (const [name, value] of Object.entries(directives)) settings.load(name, [value])
  const { node } = lender
  node.keyspace.replaceAll([])
  const host = new Proxy<PersistenceHost>(node.services, {
    get(target, name) {
      const found = name === 'settings' ? settings : Reflect.get(target, name, target)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const progress = new LoadProgress(
    () => node.services.now,
    () => undefined,
  )
  const parts = { host, files: new AofFiles(settings), unreadDump: new UnreadDump(host), progress }
  let outcome: Outcome | undefined
  const jobs = new Jobs((_id, request) => files.ask(request))
  jobs.start(new AofOpening(parts).run(), (value) => {
    outcome = value.kind === 'refused' ? { refused: value.text } : { digest: lender.digest }
  })
  if (outcome === undefined) throw new Error('the load did not end')
  return outcome
}

/** The last change that must be there. */
function neededChange(recording: Recording, at: number): number {
  const { policy, heard, madeAtMs, operations: all, endMs, start } = recording
  if (policy === 'no') return start.floor
  if (policy === 'always') {
    const known = heard.filter(({ operations }) => operations <= at)
    return Math.max(start.floor, ...known.map(({ change }) => change))
  }
  const crashMs = all[at]?.atMs ?? endMs
  const oldMs = crashMs - 2_000
  return Math.max(
    start.floor,
    madeAtMs.findLastIndex((ms) => ms <= oldMs),
  )
}

/** What a crash at any point would lose. Between the loss of the folder and its return, that is everything. */
export function problemsOf(recording: Recording): string[] {
  const { gone } = recording
  const points = pointsOf(recording)
  const healed = healedAt(recording, points)
  if (healed === undefined) return ['the folder was never made anew']
  const isWhole = (at: number) => gone === undefined || at < gone.operations || at >= healed
  const found = points
    .filter(isWhole)
    .flatMap((at) => [crash(recording, at, 'power'), crash(recording, at, 'kill')])
  return [...found, toldTooEarly(recording, healed)].filter((problem) => problem !== undefined)
}

/** From which point on everything is in files again; undefined if that does not happen in time. */
function healedAt(recording: Recording, points: readonly number[]): number | undefined {
  const { gone, operations } = recording
  if (gone === undefined) return 0
  const lastLost = points.findLast((at) => at >= gone.operations && !hasReturned(recording, at))
  const healed = points.find((at) => at > (lastLost ?? gone.operations - 1))
  const goneAtMs = operations[gone.operations - 1]?.atMs ?? 0
  const isInTime =
    healed !== undefined && (operations[healed - 1]?.atMs ?? 0) <= goneAtMs + HEALED_MS
  return isInTime ? healed : undefined
}

/** Whether a process killed there leaves what existed when the folder was deleted. */
function hasReturned(recording: Recording, at: number): boolean {
  const outcome = load(recording.directives, filesLeft(recording, at, 'kill'))
  if ('refused' in outcome) return false
  return recording.states.lastIndexOf(outcome.digest) >= (recording.gone?.change ?? 0)
}

/**
 * With `always`, no client may learn of a change while there are no files it could be in. A command that
 * left the data unchanged needs none.
 */
function toldTooEarly(
  { policy, heard, gone, states }: Recording,
  healedAt: number,
): string | undefined {
  if (gone === undefined || policy !== 'always') return undefined
  const told = heard.find(
    ({ change, operations }) =>
      change > gone.change &&
      states[change] !== states[change - 1] &&
      operations >= gone.operations &&
      operations < healedAt,
  )
  return told && `change ${told.change} was told while there was no folder`
}
