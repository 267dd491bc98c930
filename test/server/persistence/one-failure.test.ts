/**
 * A disk that fails at one operation, or from one operation on until somebody mends it, at every place of
 * a history that has it all: rewrites, saves, the file switched off and on. Whatever fails, the node goes
 * on, a process killed at any moment leaves files that load as a state there was, and once the disk works
 * again the files have everything, also after a power cut.
 */
import { describe, expect, test } from 'vitest'
import { createRng } from '../../../src/base/rng.ts'
import type { FileFailure, FileRequest } from '../../../src/server/persistence/files.ts'
import { keyspaceDigest } from '../../../src/server/values/digest.ts'
import { DataFiles } from '../../../src/sim/processes/data-files.ts'
import { NodeHarness } from '../../support/node-harness.ts'
import { sized } from '../../support/sized.ts'
import { SlowDisk, SlowFiles } from '../../support/slow-disk.ts'

const ON = { appendonly: 'yes', save: '3600 1' }
/** Longer than a rewrite that has failed ever waits. */
const HOURS_MS = 3_700_000
const HARMLESS: ReadonlySet<FileRequest['kind']> = new Set(['list', 'size', 'read'])

const HISTORY = [
  ...[
    'SET a 1',
    'BGREWRITEAOF',
    'INCR a',
    'BGSAVE',
    'INCR a',
    'CONFIG SET appendonly no',
    'INCR a',
  ],
  ...[
    'CONFIG SET appendonly yes',
    'INCR a',
    'SAVE',
    'INCR a',
    'BGREWRITEAOF',
    'SADD s x',
    'FLUSHALL',
  ],
  ...[
    'SET b 1',
    'CONFIG SET appendfsync no',
    'INCR b',
    'CONFIG SET appendfsync everysec',
    'INCR b',
  ],
]

/** After the fault a process is killed after so many commands. */
const LOOKS = 2

interface Fault {
  readonly at: number
  readonly code: string
  readonly isLasting: boolean
}

/** Counts what could fail, and fails there. */
class FailingDisk extends SlowDisk {
  operations = 0
  fault: Fault | undefined

  constructor(fault: Fault | undefined) {
    super(ON, new SlowFiles(true))
    this.fault = fault
  }

  override appendNow(path: string, bytes: string): FileFailure | undefined {
    const failure = this.#failure()
    return failure ?? super.appendNow(path, bytes)
  }

  /** The disk does what it has to do, and time passes. */
  override settle(): void {
    for (let round = 0; round < 12 && this.exitStatus === undefined; round++) {
      while (this.asked !== undefined) this.#answerOne(this.asked)
      this.advance(round < 10 ? 1 : 1000)
    }
  }

  #answerOne(kind: FileRequest['kind']): void {
    const failure = HARMLESS.has(kind) ? undefined : this.#failure()
    if (failure === undefined) this.answer()
    else this.fail(failure.code)
  }

  #failure(): FileFailure | undefined {
    const at = ++this.operations
    const { fault } = this
    if (fault === undefined || at < fault.at) return undefined
    if (at > fault.at && !fault.isLasting) return undefined
    return { kind: 'failed', code: fault.code, text: fault.code }
  }
}

const digest = (node: NodeHarness) => keyspaceDigest(node.node.keyspace)

function copyOf(files: DataFiles): DataFiles {
  const copy = new DataFiles()
  for (const path of files.paths()) copy.install(path, files.read(path) as string)
  return copy
}

/** What a node that starts from these files has; undefined: it does not start. */
function loaded(files: DataFiles): string | undefined {
  const node = new NodeHarness(ON, false, {}, files)
  return node.exitStatus === undefined ? digest(node) : undefined
}

/** What is wrong; undefined: nothing. */
function play(fault: Fault): string | undefined {
  const node = new FailingDisk(fault)
  node.settle()
  if (node.exitStatus !== undefined) {
    return loaded(node.files) === EMPTY ? undefined : 'what a failed start left does not load'
  }
  const states = new Set([EMPTY])
  let looks = 0
  for (const line of HISTORY) {
    node.client().say(line)
    states.add(digest(node))
    node.settle()
    states.add(digest(node))
    // Before it fails it does what it does without a fault.
    if (node.operations < fault.at || ++looks > LOOKS) continue
    const found = loaded(copyOf(node.files))
    if (found === undefined || !states.has(found)) return `after ${line}: ${found ?? 'refused'}`
  }
  return mended(node)
}

function mended(node: FailingDisk): string | undefined {
  node.fault = undefined
  node.advance(HOURS_MS)
  node.settle()
  const client = node.client()
  if (client.say('SET z 1') !== '+OK\r\n') return 'writes are refused for ever'
  node.settle()
  if (loaded(copyOf(node.files)) !== digest(node)) return 'the files do not have everything'
  node.files.losePower(createRng('power'))
  return loaded(node.files) === digest(node) ? undefined : 'a power cut takes what was synced'
}

const EMPTY = digest(new NodeHarness())

function places(): number {
  const node = new FailingDisk(undefined)
  node.settle()
  for (const line of HISTORY) {
    node.client().say(line)
    node.settle()
  }
  return node.operations
}

/** A test that takes long is cut into so many, each with every so manieth place. */
const SHARE_COUNT = 6
const SHARES = sized([0], [0, 1, 2, 3, 4, 5])

describe.each([
  ['ENOSPC', false],
  ['ENOENT', false],
  ['EIO', true],
])('%s, lasting: %s', (code, isLasting) => {
  test.each(SHARES)('at any operation (share %i) loses nothing for good', (share) => {
    const count = places()
    expect(count).toBeGreaterThan(50)
    const problems: string[] = []
    for (let at = 1 + share; at <= count; at += SHARE_COUNT) {
      const problem = play({ at, code, isLasting })
      if (problem !== undefined) problems.push(`${at}: ${problem}`)
    }
    expect(problems).toEqual([])
  })
})
