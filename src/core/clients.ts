import type { Protocol } from '../resp/reply.ts'
import type { ClientId } from './ids.ts'

/** A client of this Sentinel: an application, an operator, or a peer that asks and tells. */
export interface Client {
  readonly id: ClientId
  readonly address: string
  name: string
  protocol: Protocol
}
