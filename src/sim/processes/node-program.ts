/**
 * A data node in a simulated process: the production node on a port made of simulated connections
 * and a simulated disk.
 */
import { infoFields } from '../../base/info-fields.ts'
import type { Address } from '../../base/ip.ts'
import type { Rng } from '../../base/rng.ts'
import { type Sizes, sizesOf } from '../../base/sizes.ts'
import type { NodePosition, Occurrence } from '../../history/happening.ts'
import type { Reply } from '../../resp/reply.ts'
import { DataNode } from '../../server/node.ts'
import type { FileAnswer, FileRequest } from '../../server/persistence/files.ts'
import {
  type ConnectionId,
  type HeapMeter,
  type NodePort,
  SIMULATED_PROCESS,
} from '../../server/port.ts'
import { Settings } from '../../server/settings/settings.ts'
import type { Socket, SocketEnds, SocketHandler } from '../network/socket.ts'
import type { Process, Program } from './process.ts'

const CONNECT_TIMEOUT_MS = 60_000
/** The file of CONFIG REWRITE, as in production: the differences from the user's file. */
const SETTINGS_FILE = 'settings'

export interface NodeProgramStart {
  readonly process: Process
  readonly port: number
  /** The user's file: directives of redis.conf by name. */
  readonly directives: ReadonlyMap<string, string>
  readonly rng: Rng
  readonly tellMaster: (master: string) => void
  /** Tells what checkers want to know of a node; only news. */
  readonly tell?: (occurrence: Occurrence) => void
  readonly log: (level: string, text: string) => void
  /** [black-box] Puts on record what the node says of itself. */
  readonly note?: NodePort['note']
}

export class NodeProgram implements Program {
  readonly #process: Process
  readonly #start: NodeProgramStart
  readonly #settings: Settings
  readonly #node: DataNode
  readonly #sockets = new Map<ConnectionId, Socket>()
  #nextIncoming = 1
  /** What was told last. */
  #isHeld = false
  #copies = 0

  constructor(start: NodeProgramStart) {
    this.#start = start
    this.#process = start.process
    this.#settings = readSettings(start)
    this.#node = new DataNode({
      settings: this.#settings,
      port: this.#port(),
      rng: start.rng,
      now: start.process.now(),
      hasConfigFile: true,
    })
    start.process.listen(start.port, (socket) => this.#accept(socket))
    this.#witness()
  }

  wake(): void {
    this.#node.wake(this.#process.now())
    this.#witness()
  }

  nextWakeUpMs(): number | undefined {
    return this.#node.nextWakeUpMs()
  }

  stopRequested(): void {
    this.#node.stopRequested(this.#process.now())
  }

  /** How much the node holds, as far as it can be seen, and how many files it has. */
  sizes(): Sizes {
    return {
      ...sizesOf(this.#node.services),
      'connections of the driver': this.#sockets.size,
      files: this.#process.disk.data.paths().length,
    }
  }

  /** What it answers to ROLE at this moment; undefined: it does not answer at this moment. */
  role(): Reply | undefined {
    if (this.#process.status !== 'running') return undefined
    this.#witness()
    return this.#node.services.replication.roleReply()
  }

  /** The node's state as it matters for the choice of a master, as it would tell a Sentinel. */
  standing(): Omit<NodePosition, 'node' | 'address'> {
    return readNodePosition(this.#node.report())
  }

  #port(): NodePort {
    const process = this.#process
    return {
      write: (id, bytes) => this.#sockets.get(id)?.write(bytes),
      queuedBytes: (id) => this.#sockets.get(id)?.queuedBytes ?? 0,
      close: (id) => this.#close(id),
      connect: (id, host, port) => this.#connect(id, host, port),
      saveSettings: (settings) => saveSettings(process, settings),
      askFile: (id, request) =>
        askFile(process, request, (answer) => this.#node.fileAnswered(process.now(), id, answer)),
      appendNow: (path, bytes) => this.#process.disk.data.appendNow(path, bytes),
      ready: () => undefined,
      processFacts: () => SIMULATED_PROCESS,
      get heap() {
        return heapOf(process)
      },
      note: this.#start.note,
      log: this.#start.log,
      exit: () => this.#process.kill(),
    }
  }

  #accept(socket: Socket): SocketHandler {
    const id = this.#nextIncoming++
    this.#sockets.set(id, socket)
    this.#node.accepted(this.#process.now(), id, socket.ends)
    return this.#handler(id)
  }

  #connect(id: ConnectionId, host: string, port: number): void {
    const socket = this.#process.connect(host, port, CONNECT_TIMEOUT_MS, this.#handler(id))
    this.#sockets.set(id, socket)
  }

  #handler(id: ConnectionId): SocketHandler {
    return {
      connected: () => {
        const ends: SocketEnds | undefined = this.#sockets.get(id)?.ends
        if (ends !== undefined) this.#node.connected(this.#process.now(), id, ends)
      },
      received: (bytes) => {
        if (!this.#sockets.has(id)) return
        this.#node.received(this.#process.now(), id, bytes)
        this.#witness()
      },
      halfClosed: () => {
        if (this.#sockets.has(id)) this.#node.halfClosed(this.#process.now(), id)
      },
      closed: (reason) => {
        if (this.#sockets.delete(id)) this.#node.closed(this.#process.now(), id, reason)
      },
    }
  }

  #close(id: ConnectionId): void {
    const socket = this.#sockets.get(id)
    this.#sockets.delete(id)
    socket?.close()
  }

  /** The master that the node follows: `host port`, or empty if it is a master. */
  #witness(): void {
    this.#start.tellMaster(this.#settings.text('replicaof'))
    const { pause, replication, stats } = this.#node.services
    const isHeld = pause.scope !== undefined
    const given = stats.fullSyncs
    const { tell } = this.#start
    if (isHeld !== this.#isHeld) tell?.({ kind: 'writesHeld', isHeld })
    if (given !== this.#copies) tell?.({ kind: 'copies', to: receiversIn(replication.infoLines()) })
    this.#isHeld = isHeld
    this.#copies = given
  }
}

const RECEIVER = /^slave\d+:ip=([^,]+),port=(\d+),state=(?!online)/

/** The replicas that wait for a full copy, or get one, as INFO shows them. */
function receiversIn(info: readonly string[]): Address[] {
  return info.flatMap((line) => {
    const [, host = '', port] = RECEIVER.exec(line) ?? []
    return port === undefined ? [] : [{ host, port: Number(port) }]
  })
}

/** The user's file, and over it what CONFIG REWRITE kept in an earlier life. */
export function readSettings(start: NodeProgramStart): Settings {
  const settings = new Settings()
  settings.set('port', String(start.port))
  // The hosts of a simulated world trust each other; there are no others.
  settings.set('protected-mode', 'no')
  // DEBUG DIGEST tells whether two nodes hold the same data.
  settings.set('enable-debug-command', 'yes')
  for (const [name, value] of start.directives) settings.load(name, [value])
  settings.markFiled()
  const kept = start.process.disk.read(SETTINGS_FILE)
  for (const [name, value] of readPairs(kept)) settings.set(name, value)
  return settings
}

function readPairs(text: string | undefined): [name: string, value: string][] {
  return text === undefined ? [] : (JSON.parse(text) as [string, string][])
}

/** What INFO replication says about a node, in the terms in which a master is chosen. */
function readNodePosition(report: {
  readonly lines: readonly string[]
  readonly runId: string
}): Omit<NodePosition, 'node' | 'address'> {
  const fields = infoFields(report.lines)
  const isReplica = fields.get('role') === 'slave'
  // A replica that another leader has just promoted is chosen for what it has, too.
  const offset = fields.get(isReplica ? 'slave_repl_offset' : 'master_repl_offset')
  return {
    isReplica,
    isLinkUp: fields.get('master_link_status') === 'up',
    priority: Number(fields.get('slave_priority') ?? 100),
    offset: Number(offset ?? 0),
    replid: fields.get('master_replid') ?? '',
    runId: report.runId,
  }
}

/** A save that blocks: on a slow disk the process hangs for as long. */
export function saveSettings(process: Process, settings: ReadonlyMap<string, string>) {
  const { disk } = process
  const failure = disk.saveNow(SETTINGS_FILE, JSON.stringify([...settings]))
  if (disk.delayMs > 0) process.stall(disk.delayMs)
  return failure
}

/** Only requests that must reach the disk take time; the others are answered at once. */
export function askFile(
  process: Process,
  request: FileRequest,
  answered: (answer: FileAnswer) => void,
): FileAnswer | undefined {
  const { data } = process.disk
  if (request.kind !== 'sync' && request.kind !== 'rename') return data.ask(request)
  const carryOut = request.kind === 'sync' ? data.beginSync(request.path) : () => data.ask(request)
  process.after(process.disk.nextLatencyMs(), () => answered(carryOut()))
  return undefined
}

const LIMIT_BYTES = 2 ** 30
/** How long a collection stops a process that has a heap of this size in use. */
const COLLECTION_MS = 200

/**
 * The heap, as the node's guard meters it. The simulator does not count what a node keeps: a fault says how much
 * of the heap is in use, none of it garbage, whatever the node does. Undefined as long as no fault has touched the
 * heap in this life: then nothing has to look at it.
 */
function heapOf(process: Process): HeapMeter | undefined {
  if (process.heapShare === undefined) return undefined
  return {
    read: () => {
      const share = process.heapShare ?? 0
      const usedBytes = Math.floor(share * LIMIT_BYTES)
      // A collection is over whenever the share has changed.
      const collections = Math.round(share * 1_000)
      return { usedBytes, limitBytes: LIMIT_BYTES, collectedBytes: usedBytes, collections }
    },
    collect: () => COLLECTION_MS,
  }
}
