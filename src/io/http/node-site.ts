/** What a data node tells by HTTP. It announces no events and takes no orders: its Sentinels do. */
import { setImmediate } from 'node:timers/promises'
import { type NodeDocument, nodeDocument } from '../../http/node-document.ts'
import { answerNodeProbe, nodeReadiness, type SentinelsNeeded } from '../../http/node-probes.ts'
import type { ProbeAnswer } from '../../http/probe.ts'
import type { DataNode } from '../../server/node.ts'
import type { NodeHost } from '../node-host.ts'
import { jsonBytes } from './http-reply.ts'
import type { HttpSite, RoleQuestion } from './http-site.ts'

/** [http-primary-sentinels] */
const MAJORITY = -1

export class NodeSite implements HttpSite {
  readonly #host: NodeHost
  readonly #node: DataNode
  readonly #version: string
  readonly metrics?: () => Promise<Uint8Array>
  readonly events = undefined

  /** `metrics`: the Prometheus text of this moment. */
  constructor(
    host: NodeHost,
    node: DataNode,
    version: string,
    metrics?: () => Promise<Uint8Array>,
  ) {
    this.#host = host
    this.#node = node
    this.#version = version
    if (metrics !== undefined) this.metrics = metrics
  }

  readiness(): ProbeAnswer {
    return nodeReadiness(this.#document())
  }

  /** What lies in the sockets of Sentinels is read first: a process that was held up has heard nothing lately. */
  async role({ probe, lag }: RoleQuestion): Promise<ProbeAnswer> {
    await setImmediate()
    return answerNodeProbe(this.#document(), { probe, lag, needed: this.#needed() })
  }

  cluster(): Promise<Uint8Array> {
    return Promise.resolve(jsonBytes(this.#document()))
  }

  #document(): NodeDocument {
    return this.#host.look(() => nodeDocument(this.#node.services, this.#version))
  }

  #needed(): SentinelsNeeded {
    const needed = this.#node.services.settings.int('http-primary-sentinels')
    return needed === MAJORITY ? undefined : needed
  }
}
