/**
 * Power cuts under a node with an append-only file. A random history is played once, on a disk that takes
 * its time, and every request to the disk is recorded. For each point between two requests the files are
 * made again as they were then, the power goes, and a new node starts from what is left of them.
 *
 * Every change has a number and its client is told that number. So it is known at any point which
 * changes somebody may have heard of, from an answer, from a read or from the replication stream.
 */
import { createRng, type Rng } from '../../src/base/rng.ts'
import { encodeCommand } from '../../src/resp/encode.ts'
import { keyspaceDigest } from '../../src/server/digest.ts'
import { DataNode } from '../../src/server/node.ts'
import type { FileAnswer, FileRequest, FileRequestId } from '../../src/server/persistence/files.ts'
import { type NodePort, SIMULATED_PROCESS } from '../../src/server/port.ts'
import { Settings } from '../../src/server/settings.ts'
import { DataFiles } from '../../src/sim/data-files.ts'

export type Policy = 'always' | 'everysec' | 'no'

/** One thing the disk did, and when. */
interface Operation {
  readonly atMs: number
  readonly carryOut: (files: DataFiles, syncs: Map<FileRequestId, () => FileAnswer>) => unknown
}

export interface Recording {
  readonly policy: Policy
  readonly directives: Record<string, string>
  readonly operations: readonly Operation[]
  /** The state after so many changes, as a fingerprint; the first is that of nothing. */
  readonly states: readonly string[]
  /** When each change was made; the first has number 1. */
  readonly madeAtMs: readonly number[]
  /** Somebody heard of a change when so many operations had been carried out. */
  readonly heard: readonly { readonly change: number; readonly operations: number }[]
  /** Until when the file was complete; what came later need not be kept. */
  readonly endMs: number
}

const WALL_START_MS = 1_700_000_000_000
const LATER_MS = WALL_START_MS + 10 ** 9
const CHANGES = 24
const DRAIN_MS = 3_000
const ENDS = { remoteHost: '127.0.0.1', remotePort: 5, localHost: '127.0.0.1', localPort: 6379 }

/** A node on a disk whose answers take a while. */
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
    const isSlow = request.kind === 'sync' || request.kind === 'rename'
    if (request.kind === 'sync') {
      this.#record((files, syncs) => syncs.set(id, files.beginSync(request.path)))
      this.#answerLater(id, (files, syncs) => (syncs.get(id) as () => FileAnswer)())
      return undefined
    }
    if (!isSlow && this.#rng.chance(1, 2)) return this.#record((files) => files.ask(request))
    this.#answerLater(id, (files) => files.ask(request))
    return undefined
  }

  appendNow(path: string, bytes: string) {
    return this.#record((files) => files.appendNow(path, bytes))
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

  #record<T>(
    carryOut: (files: DataFiles, syncs: Map<FileRequestId, () => FileAnswer>) => T,
  ): T {
    this.operations.push({ atMs: this.monoMs, carryOut })
    return carryOut(this.files, this.#syncs)
  }

  #answerLater(
    id: FileRequestId,
    carryOut: (files: DataFiles, syncs: Map<FileRequestId, () => FileAnswer>) => FileAnswer,
  ): void {
    const atMs = this.monoMs + this.#latencyMs()
    const give = () => this.node.fileAnswered(this.now, id, this.#record(carryOut))
    this.#answers.push({ atMs, give })
    // Stable: what was asked first is answered first.
    this.#answers.sort((a, b) => a.atMs - b.atMs)
  }

  /** Mostly short; now and then the disk has something else to do. */
  #latencyMs(): number {
    return this.#rng.chance(1, 12) ? this.#rng.below(400) : 1 + this.#rng.below(8)
  }
}

/** What a client sends: one change, and a word that gives its number away. */
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

/** Plays one history. */
export function record(seed: string, policy: Policy): Recording {
  const rng = createRng(seed)
  const directives: Record<string, string> = {
    appendonly: 'yes',
    appendfsync: policy,
    save: '',
    'auto-aof-rewrite-min-size': rng.pick(['64mb', '900b']),
    'aof-timestamp-enabled': rng.pick(['no', 'yes']),
  }
  const subject = new SlowDiskNode(directives, rng.fork('disk'))
  const mirror = new SlowDiskNode({ save: '' }, rng.fork('mirror'))
  for (const each of [subject, mirror]) {
    each.runUntil(5_000)
    for (const id of [1, 2, 3]) each.node.accepted(each.now, id, ENDS)
  }
  // The third is a replica, and hears everything.
  subject.node.received(subject.now, 3, encodeCommand(['PSYNC', '?', '-1']))
  const states = [mirror.digest]
  const madeAtMs = [0]
  while (states.length <= CHANGES) {
    play(subject, mirror, rng, states, madeAtMs)
    subject.runUntil(subject.monoMs + (rng.chance(1, 3) ? rng.below(900) : rng.below(6)))
  }
  subject.runUntil(subject.monoMs + DRAIN_MS)
  const { operations, heard, monoMs } = subject
  return { policy, directives, operations, states, madeAtMs, heard, endMs: monoMs }
}

/** One turn of a client: a few changes in a row, or a look at what others have done. */
function play(
  subject: SlowDiskNode,
  mirror: SlowDiskNode,
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
      if (argv[0] !== 'BGREWRITEAOF') mirror.node.received(mirror.now, 1, encodeCommand(argv))
    }
    states.push(mirror.digest)
    madeAtMs.push(subject.monoMs)
  }
  subject.node.received(subject.now, 1, bytes)
}

/** The files as they were after so many operations. */
function filesAfter(recording: Recording, operations: number): DataFiles {
  const files = new DataFiles()
  const syncs = new Map<FileRequestId, () => FileAnswer>()
  for (const { carryOut } of recording.operations.slice(0, operations)) carryOut(files, syncs)
  return files
}

/** What is wrong with what a new node finds after a crash at that point; undefined: nothing. */
export function crash(
  recording: Recording,
  operations: number,
  kind: 'power' | 'kill',
): string | undefined {
  const rng = createRng(`crash ${operations} ${kind}`)
  const files = filesAfter(recording, operations)
  if (kind === 'power') files.losePower(rng)
  const restarted = new SlowDiskNode(recording.directives, rng.fork('disk'), files)
  restarted.runUntil(10_000)
  const place = `after ${operations} of ${recording.operations.length} operations`
  if (restarted.exitStatus !== undefined) return `${place}: ${restarted.logs.join('; ')}`
  const found = recording.states.lastIndexOf(restarted.digest)
  if (found < 0) return `${place}: the state is none of those there were`
  const needed = neededChange(recording, operations)
  if (found < needed) return `${place}: change ${needed} had to be kept, ${found} was found`
  return undefined
}

/** The last change that must be there. */
function neededChange({ policy, heard, madeAtMs, operations: all, endMs }: Recording, at: number) {
  if (policy === 'always') {
    const known = heard.filter(({ operations }) => operations <= at)
    return Math.max(0, ...known.map(({ change }) => change))
  }
  if (policy === 'no') return 0
  const crashMs = all[at]?.atMs ?? endMs
  return madeAtMs.findLastIndex((ms, number) => number > 0 && ms <= crashMs - 2_000)
}

/** A crash while the node after a crash starts: what it had loaded must still be there. */
export function crashTwice(recording: Recording, operations: number): string | undefined {
  const rng = createRng(`twice ${operations}`)
  const files = filesAfter(recording, operations)
  files.losePower(rng)
  const lives = Array.from({ length: 3 }, (_, life) => {
    const restarted = new SlowDiskNode(recording.directives, rng.fork(`disk ${life}`), files)
    restarted.runUntil(rng.below(30))
    files.losePower(rng)
    return restarted
  })
  const last = new SlowDiskNode(recording.directives, rng.fork('disk'), files)
  last.runUntil(10_000)
  const place = `after ${operations} of ${recording.operations.length} operations, and ${lives.length} more`
  if (last.exitStatus !== undefined) return `${place}: ${last.logs.join('; ')}`
  const found = recording.states.lastIndexOf(last.digest)
  if (found < 0) return `${place}: the state is none of those there were`
  return found < neededChange(recording, operations) ? `${place}: something was lost` : undefined
}
