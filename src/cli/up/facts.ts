/** What a node and a Sentinel say about themselves in the replies that any client gets. */
import { infoFields } from '../../base/info-fields.ts'

export interface NodeFacts {
  readonly role: 'master' | 'replica'
  /** Bytes of the replication stream that the node has written or applied. */
  readonly offset: number
  /** The port of the master it follows; undefined on a master. */
  readonly follows: number | undefined
  /** The link of a replica to its master is up and the copy is complete. */
  readonly isInSync: boolean
  /** How many replicas are connected to the node. */
  readonly replicas: number
}

export interface SentinelFacts {
  /** The port of the master that the Sentinel names to clients. */
  readonly master: number
  readonly replicas: number
  /** How many other Sentinels it knows. */
  readonly peers: number
  readonly configEpoch: number
  /** Flags of the master: `s_down`, `o_down`, `failover_in_progress`, … */
  readonly flags: readonly string[]
  /** It does not trust its clock, and decides nothing. */
  readonly isTilted: boolean
}

/** Reads an INFO reply; undefined if it says nothing about replication. */
export function readNodeInfo(info: string): NodeFacts | undefined {
  const fields = infoFields(info)
  const number = (name: string) => Number(fields.get(name) ?? 0)
  const role = fields.get('role')
  if (role === undefined) return undefined
  if (role === 'master') {
    const [offset, replicas] = [number('master_repl_offset'), number('connected_slaves')]
    return { role, offset, follows: undefined, isInSync: true, replicas }
  }
  return {
    role: 'replica',
    offset: number('slave_repl_offset'),
    follows: number('master_port'),
    isInSync: fields.get('master_link_status') === 'up',
    replicas: number('connected_slaves'),
  }
}

/** Reads a SENTINEL MASTER reply, a flat list of names and values, and the section `sentinel` of INFO. */
export function readSentinelMaster(reply: readonly string[], info: string): SentinelFacts {
  const fields = new Map<string, string>()
  for (let at = 0; at + 1 < reply.length; at += 2) {
    fields.set(String(reply[at]), String(reply[at + 1]))
  }
  const number = (name: string) => Number(fields.get(name) ?? 0)
  return {
    master: number('port'),
    replicas: number('num-slaves'),
    peers: number('num-other-sentinels'),
    configEpoch: number('config-epoch'),
    flags: (fields.get('flags') ?? '').split(','),
    isTilted: /^sentinel_tilt:1\r?$/m.test(info),
  }
}
