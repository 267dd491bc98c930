/**
 * A node whose disk answers when the test says so, and what the test says. Between two answers anything
 * can happen, which is the subject of such tests.
 */
import type { FileAnswer, FileRequest, FileRequestId } from '../../src/server/persistence/files.ts'
import { DataFiles } from '../../src/sim/processes/data-files.ts'
import { NodeHarness } from './node-harness.ts'

interface Held {
  readonly id: FileRequestId
  readonly request: FileRequest
}

export class SlowFiles extends DataFiles {
  /** If false, it answers at once. */
  isSlow: boolean
  readonly held: Held[] = []

  constructor(isSlow = false) {
    super()
    this.isSlow = isSlow
  }
}

export class SlowDisk extends NodeHarness {
  readonly disk: SlowFiles

  constructor(directives: Record<string, string> = {}, disk = new SlowFiles()) {
    super(directives, false, {}, disk)
    this.disk = disk
  }

  override askFile(id: FileRequestId, request: FileRequest): FileAnswer | undefined {
    // The node calls this before this class has its fields.
    const disk = this.files as SlowFiles
    if (!disk.isSlow || isAskedEverySecond(request)) return disk.ask(request)
    disk.held.push({ id, request })
    return undefined
  }

  /** The kind of the next request. */
  get asked(): FileRequest['kind'] | undefined {
    return this.disk.held[0]?.request.kind
  }

  /** Answers the next request. */
  answer(): void {
    const next = this.disk.held.shift()
    if (next === undefined) throw new Error('the disk has nothing to do')
    this.node.fileAnswered(this.now, next.id, this.disk.ask(next.request))
  }

  /** Fails the next request. */
  fail(code = 'ENOSPC'): void {
    const next = this.disk.held.shift()
    if (next === undefined) throw new Error('the disk has nothing to do')
    this.node.fileAnswered(this.now, next.id, { kind: 'failed', code, text: code })
  }

  /** Answers all requests before the next one of this kind. */
  answerUntil(kind: FileRequest['kind']): void {
    for (let answers = 0; this.asked !== undefined && this.asked !== kind; answers++) {
      if (answers > 10_000) throw new Error(`the disk was never asked for ${kind}`)
      this.answer()
    }
  }

  answerAll(): void {
    while (this.asked !== undefined) this.answer()
  }

  /** Lets the disk do its work, and the node what it wants to do then. */
  settle(): void {
    for (let round = 0; round < 20; round++) {
      this.answerAll()
      this.advance(1)
    }
  }
}

/** The node looks whether somebody else has changed its files. */
function isAskedEverySecond(request: FileRequest): boolean {
  if (request.kind === 'size') return request.path.endsWith('.incr.aof')
  return request.kind === 'list'
}

/** Starts a node on the files that another one has left. */
export function restarted(files: DataFiles, directives: Record<string, string> = {}): NodeHarness {
  return new NodeHarness(directives, false, {}, files)
}
