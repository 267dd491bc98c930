/**
 * Probes at a data node about itself. What it is, it knows; whether it still should be, only its Sentinels
 * know. So a master answers yes only if enough Sentinels have told it so within the last seconds, in their
 * hellos (sentinel-board.ts), and if it would take a write at this moment.
 */
import { majority } from '../core/election/quorum.ts'
import type { NodeDocument } from './node-document.ts'
import {
  asksForMaster,
  badLag,
  no,
  type ProbeAnswer,
  parseLag,
  type RoleProbe,
  yes,
} from './probe.ts'

/** How many Sentinels must say so; undefined: the majority of all that spoke lately, and two at least. */
export type SentinelsNeeded = number | undefined

export interface NodeQuestion {
  readonly probe: RoleProbe
  readonly lag: string | undefined
  readonly needed: SentinelsNeeded
}

export function answerNodeProbe(node: NodeDocument, question: NodeQuestion): ProbeAnswer {
  const { probe, lag, needed } = question
  const lagMax = lag === undefined ? undefined : parseLag(lag)
  if (lag !== undefined && lagMax === undefined) return badLag(lag)
  const facts = { role: node.role }
  if (node.isLoading) return no('the node is loading its data', facts)
  const isMaster = node.role === 'master'
  const obstacle =
    isMaster && probe !== 'replica'
      ? masterObstacle(node, needed)
      : asksForMaster(probe) || isMaster
        ? `the node is a ${node.role}`
        : replicaObstacle(node, lagMax)
  return obstacle === undefined ? yes(`the node is a ${node.role}`, facts) : no(obstacle, facts)
}

function masterObstacle(node: NodeDocument, needed: SentinelsNeeded): string | undefined {
  if (node.failover !== 'no-failover') return 'the node is handing its role over'
  if (node.writesRefused !== null) return `the node refuses writes: ${node.writesRefused}`
  return unconfirmed(node, needed)
}

const LEAST = 2

function unconfirmed({ sentinels }: NodeDocument, needed: SentinelsNeeded): string | undefined {
  const enough = needed ?? Math.max(LEAST, majority(sentinels.length))
  const saying = sentinels.filter(({ isPresent, namesUs }) => isPresent && namesUs).length
  if (saying >= enough) return undefined
  const others = sentinels.filter(({ isPresent, namesUs }) => isPresent && !namesUs).length
  const contrary = others === 0 ? '' : `, ${others} name another master`
  const known = `of ${sentinels.length} Sentinels heard of, ${saying} confirm this master`
  return `${known}${contrary}; ${enough} are needed (http-primary-sentinels)`
}

function replicaObstacle(
  { master, readsRefused }: NodeDocument,
  lagMax: number | undefined,
): string | undefined {
  if (readsRefused !== null) return `the node refuses reads: ${readsRefused}`
  if (master?.linkStatus !== 'up') return 'the link to the master is down'
  if (lagMax === undefined || master.unappliedBytes <= lagMax) return undefined
  return `${master.unappliedBytes} bytes of the stream are not applied, and ${lagMax} are allowed`
}

/** /health and /readiness of a data node. */
export function nodeReadiness(node: NodeDocument): ProbeAnswer {
  const facts = { role: node.role }
  if (node.isLoading) return no('the node is loading its data', facts)
  if (node.master?.isCopying) return no('the node is taking a copy of its master', facts)
  return yes('the node serves clients', facts)
}
