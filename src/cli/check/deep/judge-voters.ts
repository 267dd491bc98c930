/** The voters of a strict group: can each be fenced, has each a vote, and what does its acknowledgement mean. */
import type { GroupConfig } from '../../../core/config.ts'
import { votersIn } from '../../../core/failover/voters.ts'
import { hostAndPort } from '../../status/view.ts'
import type { SeenNode } from './facts.ts'
import { type DeepFinding, type FindingWords, speakOf } from './finding.ts'

export type VotingGroup = Pick<GroupConfig, 'name' | 'replication' | 'voters' | 'writeQuorum'>

export function judgeVoters(
  group: Pick<GroupConfig, 'name' | 'replication' | 'voters'>,
  reached: readonly SeenNode[],
): readonly DeepFinding[] {
  const area = `group ${group.name}`
  const addresses = addressesOf(group)
  const voters = addresses.flatMap((address) => {
    return reached.find((node) => node.address === address) ?? []
  })
  return [
    ...addresses.flatMap((address) => {
      const node = voters.find((one) => one.address === address)
      const speak = speakOf(area, `${address}, voter`)
      return node === undefined ? [missing(speak)] : judgeVoter(node, addresses, speak)
    }),
    ...judgeDurability(voters, speakOf(area, '')),
  ]
}

/** The group of a data node, whose file does not say with which others it is one: a strict node knows its voters. */
export function votersToldBy(
  nodes: readonly SeenNode[],
  isStrict: boolean,
): Pick<VotingGroup, 'replication' | 'voters'> {
  const told = nodes.map(({ info }) => info.get('sync_voters') ?? '').find((text) => text !== '')
  return isStrict ? { replication: 'strict', voters: told?.split(' ') ?? [] } : ASYNC
}

const ASYNC = { replication: 'async', voters: [] } as const

function addressesOf(group: Pick<GroupConfig, 'replication' | 'voters'>): readonly string[] {
  return votersIn(group).map(({ host, port }) => hostAndPort(host, String(port)))
}

function missing(speak: FindingWords): DeepFinding {
  const hint = 'start it: without a quorum of voters nothing is acknowledged'
  return speak.problem('it was not reached: it has no vote', hint)
}

function judgeVoter(
  { info }: SeenNode,
  voters: readonly string[],
  speak: FindingWords,
): readonly DeepFinding[] {
  if (info.size === 0) return []
  if (info.get('sync_replication') !== '1') {
    const hint = 'set sync-replication yes in its file; a redis-server cannot be a voter'
    return [speak.problem('it replicates asynchronously, so it cannot be fenced', hint)]
  }
  const told = info.get('sync_voters') ?? ''
  const isOther = told !== '' && told.split(' ').sort().join(' ') !== [...voters].sort().join(' ')
  if (isOther) {
    const text = `in its term ${info.get('sync_term')} the voters are ${told}`
    return [speak.problem(text, 'write the same voters in the file of every Sentinel')]
  }
  if (info.get('sync_voter') === '1') return [speak.passed('it has a vote')]
  if (info.get('sync_term') === '0') return [speak.passed('it waits for the first term')]
  const hint =
    'it gets it when it has caught up with a master of this term; after a lost disk: SENTINEL FAILOVER'
  return [speak.warning(`it has no vote now (${info.get('sync_state')})`, hint)]
}

/** Of the nodes that told their settings. */
function judgeDurability(voters: readonly SeenNode[], speak: FindingWords): readonly DeepFinding[] {
  const told = voters.filter(({ settings }) => settings?.has('appendfsync'))
  const weak = told.filter(({ settings }) => !isDurable(settings))
  if (weak.length === 0) return []
  const names = weak.map(({ address }) => address).join(', ')
  const isMixed = weak.length < told.length
  const text = isMixed
    ? `the acknowledgement of ${names} means its memory, that of the others their disks`
    : 'an acknowledged write is in the memory of the voters: power that fails for all of them loses it'
  return [speak.warning(text, 'appendonly yes and appendfsync always on every voter')]
}

function isDurable(settings: SeenNode['settings']): boolean {
  return settings?.get('appendonly') === 'yes' && settings.get('appendfsync') === 'always'
}
