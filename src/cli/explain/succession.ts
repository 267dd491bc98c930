/** Which replica a leader would promote after an accident, and why no other. */
import { comparePromotion } from '../../core/failover/selection.ts'
import { type Accident, isCut, isLost } from './accident.ts'
import type { GroupLayout, LayoutNode, LayoutSentinel } from './layout.ts'

export interface PassedOver {
  /** `host:port`. */
  readonly address: string
  readonly reason: string
}

export interface Succession {
  readonly promoted: LayoutNode | undefined
  readonly others: readonly PassedOver[]
}

/** A replica in the order of promotion. */
interface Ranked {
  readonly node: LayoutNode
  /** Why it may not be promoted; empty if it may. */
  readonly bar: string
  /** Why it comes behind the first one. */
  readonly merit: string
}

export function choose(
  layout: GroupLayout,
  accident: Accident,
  leader: LayoutSentinel | undefined,
): Succession {
  const order = leader?.says?.plan === undefined ? ownOrder(layout) : plannedOrder(layout, leader)
  const [first] = order
  const judged = order.map((one) => ({ ...one, bar: lossOf(accident, one, leader) || one.bar }))
  const promoted = judged.find(({ bar }) => bar === '')?.node
  const others = judged.filter(({ node }) => node !== promoted)
  return {
    promoted,
    others: others.map(({ node, bar, merit }) => {
      // What the Sentinels say of it compares it with the one they would have chosen.
      const rank = promoted === first?.node ? merit : ''
      return { address: node.address, reason: bar || rank || behind(promoted) }
    }),
  }
}

function behind(promoted: LayoutNode | undefined): string {
  return promoted === undefined
    ? 'it would be chosen, but there is no failover'
    : `${promoted.address} comes first`
}

function lossOf(accident: Accident, { node }: Ranked, leader: LayoutSentinel | undefined): string {
  if (isLost(accident, node)) return 'it is lost, too'
  if (leader !== undefined && isCut(accident, leader, node)) return 'the leader cannot reach it'
  return ''
}

/** As the leader itself says. A replica that it does not know is not in it. */
function plannedOrder({ replicas }: GroupLayout, { says }: LayoutSentinel): readonly Ranked[] {
  return (says?.plan?.replicas ?? []).flatMap(({ address, part, reason }) => {
    const node = replicas.find((one) => one.address === address)
    if (node === undefined) return []
    return [{ node, bar: part === 'barred' ? reason : '', merit: reason }]
  })
}

/** By the rules that all Sentinels share, where the leader cannot be asked. */
function ownOrder(layout: GroupLayout): readonly Ranked[] {
  const sorted = [...layout.replicas].sort(comparePromotion)
  const bars = sorted.map((node) => ({ node, bar: barOf(layout, node) }))
  const best = bars.find(({ bar }) => bar === '')?.node
  return [...bars.filter(({ bar }) => bar === ''), ...bars.filter(({ bar }) => bar !== '')].map(
    (one) => ({ ...one, merit: best === undefined || one.node === best ? '' : worse(best, one) }),
  )
}

function barOf({ master, sentinels }: GroupLayout, node: LayoutNode): string {
  if (node.priority === 0) return 'its replica-priority is 0'
  if (node.isDown) return 'it is down'
  const downAfterMs = Math.max(0, ...sentinels.map(({ says }) => says?.downAfterMs ?? 0))
  const isOld = !master.isDown && !node.isLinked && node.linkDownMs > 10 * downAfterMs
  return isOld ? `it lost its link to the master ${Math.round(node.linkDownMs / 1_000)} s ago` : ''
}

function worse(best: LayoutNode, { node }: { readonly node: LayoutNode }): string {
  if (best.priority !== node.priority) {
    return `${best.address} has replica-priority ${best.priority}, this one ${node.priority}`
  }
  if (best.offset !== node.offset) {
    return `${best.address} has ${best.offset - node.offset} bytes more of the data`
  }
  return `as good as ${best.address}, whose run id is smaller`
}
