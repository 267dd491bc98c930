/** What is claimed to be so at a moment, held against the view of that moment. */
import { unreachable } from '../base/assert.ts'
import type { ClusterView } from './cluster-view.ts'
import type { StateClaim } from './scenario-file.ts'

export interface Finding {
  readonly holds: boolean
  /** What is the case, in words. */
  readonly because: string
}

export interface Judgement {
  readonly sentinels: readonly string[]
}

export function examine(claim: StateClaim, view: ClusterView, cast: Judgement): Finding {
  switch (claim.kind) {
    case 'master':
      return examineMaster(claim, view)
    case 'oneMaster':
      return examineOneMaster(claim.among, view)
    case 'replica':
      return examineReplica(claim, view, cast)
    case 'refusesWrites': {
      const answer = view.lastAnswer(claim.node)
      const because = answer === undefined ? 'it was asked nothing' : `its last answer is ${answer}`
      return { holds: answer === claim.code, because }
    }
    default:
      return unreachable(claim)
  }
}

function examineMaster(claim: StateClaim & { kind: 'master' }, view: ClusterView): Finding {
  const { accordingTo, group, node, negated } = claim
  const running = accordingTo.filter((sentinel) => view.isRunning(sentinel))
  const named = running.map((sentinel) => view.masterAccordingTo(sentinel, group))
  const texts = running.map((sentinel, index) => `${sentinel} names ${named[index] ?? 'nobody'}`)
  const agreed = new Set(named).size === 1 ? named[0] : undefined
  const holds = agreed !== undefined && (agreed === node) !== negated
  return { holds, because: running.length === 0 ? 'no Sentinel runs' : texts.join(', ') }
}

function examineOneMaster(among: readonly string[], view: ClusterView): Finding {
  const masters = among.filter((node) => view.role(node)?.kind === 'master')
  const because = masters.length === 0 ? 'there is none' : `there are ${masters.join(' and ')}`
  return { holds: masters.length === 1, because }
}

function examineReplica(
  claim: StateClaim & { kind: 'replica' },
  view: ClusterView,
  cast: Judgement,
): Finding {
  const master = claim.of ?? view.agreedMaster(cast.sentinels, claim.group)
  const connected = view.connectedTo(claim.node)
  const holds = connected !== undefined && connected === master
  if (connected !== undefined) return { holds, because: `it is connected to ${connected}` }
  const role = view.role(claim.node)
  if (role === undefined) return { holds, because: 'it is not running' }
  return { holds, because: role.kind === 'master' ? 'it is a master' : 'its link is down' }
}
