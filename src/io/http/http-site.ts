/** What a program tells by HTTP. The routes are the same on a Sentinel and on a data node. */
import type { EventRing, RecordedEvent } from '../../http/event-ring.ts'
import type { ProbeAnswer, RoleProbe } from '../../http/probe.ts'
import type { SteeringAnswer, SteeringBody, SteeringWord } from '../../http/steering.ts'

export interface RoleQuestion {
  readonly probe: RoleProbe
  readonly group: string | undefined
  /** `host:port` */
  readonly node: string | undefined
  /** The value of the header by which HAProxy names the node. */
  readonly haproxyState: string | undefined
  readonly lag: string | undefined
}

/** All texts in what is returned are byte strings, as in the machines. */
export interface HttpSite {
  readiness(): ProbeAnswer
  role(question: RoleQuestion): ProbeAnswer | Promise<ProbeAnswer>
  /** The document of /cluster, as JSON in UTF-8. */
  cluster(): Promise<Uint8Array>
  /** The Prometheus text, as bytes; undefined: there is none. */
  metrics?(): Promise<Uint8Array>
  /** Undefined: this program announces no events. */
  readonly events: EventFeed | undefined
  /** The document of /history. */
  history?(): unknown
  /** The document of /timeline, as JSON in UTF-8. */
  timeline?(): Promise<Uint8Array>
  /** Undefined: this program takes no orders here. */
  steer?(order: SteeringOrder): Promise<SteeringAnswer>
}

export interface EventFeed {
  readonly ring: EventRing
  /** Called with every event from now on, until the returned function is called. */
  follow(tell: (event: RecordedEvent) => void): () => void
}

export interface SteeringOrder {
  readonly word: SteeringWord
  readonly group: string | undefined
  readonly body: SteeringBody
}

/** A file of the page at `/`. */
export interface PageAsset {
  readonly type: string
  readonly body: string
}
