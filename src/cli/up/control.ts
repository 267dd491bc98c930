/**
 * The remote control of `vedette up`, for programs in any language: one line of JSON in, one out, over a loopback port
 * that chance gives. The answers say what the keys say.
 */
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { UpActionKey } from './actions.ts'
import { controlPath, newSecret, writeControl } from './control-file.ts'
import { HOST } from './layout.ts'
import { type ClusterModel, masterPort, missing } from './model.ts'

/** What can be asked for, with the key that does the same. */
export const UP_ORDERS = { kill: 'k', stop: 'p', cut: 'c', back: 'b' } as const satisfies Record<
  string,
  UpActionKey
>
export type UpOrder = keyof typeof UP_ORDERS

export interface UpRequest {
  readonly secret: string
  readonly order: UpOrder | 'status'
  /** The port of a node or Sentinel; undefined: the master, and for `back` the last one harmed. */
  readonly member?: number | undefined
}

export interface UpAnswer {
  readonly ok: boolean
  /** What was done, or why nothing was. */
  readonly text: string
  readonly status: UpStatus
}

export interface UpStatus {
  /** Every member has answered and the replicas are in sync. */
  readonly isReady: boolean
  /** What is missing until then. */
  readonly missing: string | undefined
  readonly master: number | undefined
  readonly nodes: readonly UpNode[]
  readonly sentinels: readonly UpSentinel[]
}

export interface UpNode {
  readonly port: number
  readonly state: string
  readonly role: 'master' | 'replica' | undefined
  readonly isInSync: boolean | undefined
  readonly offset: number | undefined
}

export interface UpSentinel {
  readonly port: number
  readonly state: string
  readonly master: number | undefined
  readonly epoch: number
}

export interface ControlledCluster {
  readonly model: ClusterModel
  readonly obey: (order: UpOrder, member: number | undefined) => { ok: boolean; text: string }
}

const LINE_MAX = 1_000

export class UpControl {
  readonly #cluster: ControlledCluster
  readonly #secret = newSecret()
  readonly #path: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(cluster: ControlledCluster, firstPort: number) {
    this.#cluster = cluster
    this.#path = controlPath(firstPort)
    this.#server = createServer((socket) => this.#take(socket))
    this.#server.listen({ host: HOST, port: 0 }, () => {
      const { port } = this.#server.address() as { port: number }
      writeControl(this.#path, { port, secret: this.#secret })
    })
  }

  close(): void {
    rmSync(this.#path, { force: true })
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #take(socket: Socket): void {
    let line = ''
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (text: string) => {
      line += text
      if (line.includes('\n')) socket.end(`${JSON.stringify(this.#answer(line))}\n`)
      else if (line.length > LINE_MAX) socket.destroy()
    })
  }

  #answer(line: string): UpAnswer | { readonly ok: false; readonly text: string } {
    const request = requestOf(line)
    if (request === undefined) return { ok: false, text: 'one line of JSON: secret, order, member' }
    const { secret, order, member } = request
    if (secret !== this.#secret) return { ok: false, text: 'the secret is wrong' }
    const { model, obey } = this.#cluster
    const done = order === 'status' ? { ok: true, text: '' } : obey(order, member)
    return { ...done, status: statusOf(model) }
  }
}

/** Undefined: it is none. */
function requestOf(line: string): UpRequest | undefined {
  try {
    const request = JSON.parse(line) as UpRequest | null
    const { order = '', member } = request ?? {}
    const isKnown = order === 'status' || Object.hasOwn(UP_ORDERS, order)
    const isMember = member === undefined || Number.isInteger(member)
    return isKnown && isMember ? (request ?? undefined) : undefined
  } catch {
    return undefined
  }
}

function statusOf(model: ClusterModel): UpStatus {
  const lacking = missing(model)
  return {
    isReady: lacking === undefined,
    missing: lacking,
    master: masterPort(model),
    nodes: model.nodes.map(({ port, state, facts }) => {
      const { role, isInSync, offset } = facts ?? {}
      return { port, state, role, isInSync, offset }
    }),
    sentinels: model.sentinels.map(({ port, state, facts, epoch }) => {
      return { port, state, master: facts?.master, epoch }
    }),
  }
}
