/** The voters of a strict group: can each be fenced, has each a vote, and what does its acknowledgement mean. */
import { hostAndPort } from '../../../base/ip.ts'
import type { GroupConfig } from '../../../core/config.ts'
import { votersIn, writeQuorum } from '../../../core/failover/voters.ts'
import { GROUP_OPTIONS } from '../../../core/group-options.ts'
import type { SeenNode } from './facts.ts'
import { type DeepFinding, type FindingWords, speakOf } from './finding.ts'

export type VotingGroup = Pick<GroupConfig, 'name' | 'replication' | 'voters' | 'writeQuorum'>

export function judgeVoters(
  group: VotingGroup,
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
      return node === undefined
        ? [missing(speak)]
        : judgeVoter(node, { addresses, needed: writeQuorum(group) }, speak)
    }),
    ...judgeDurability(voters, speakOf(area, '')),
  ]
}

/** The group of a data node, whose file does not say with which others it is one: a strict node knows its voters. */
export function votersToldBy(
  nodes: readonly SeenNode[],
  isStrict: boolean,
): Pick<VotingGroup, 'replication' | 'voters' | 'writeQuorum'> {
  const told = nodes.find(({ info }) => (info.get('sync_voters') ?? '') !== '')?.info
  return isStrict
    ? {
        replication: 'strict',
        voters: told?.get('sync_voters')?.split(' ') ?? [],
        writeQuorum: Number(told?.get('sync_write_quorum') ?? 0),
      }
    : ASYNC
}

const ASYNC = { replication: 'async', voters: [], writeQuorum: 0 } as const

function addressesOf(group: Pick<GroupConfig, 'replication' | 'voters'>): readonly string[] {
  return votersIn(group).map(({ host, port }) => hostAndPort(host, String(port)))
}

function missing(speak: FindingWords): DeepFinding {
  const hint = 'start it: without a quorum of voters nothing is acknowledged'
  return speak.problem('it was not reached: it has no vote', hint)
}

/** As the file says. */
interface Layout {
  readonly addresses: readonly string[]
  /** How many voters must have a write. */
  readonly needed: number
}

function judgeVoter(
  { info }: SeenNode,
  layout: Layout,
  speak: FindingWords,
): readonly DeepFinding[] {
  if (info.size === 0) return []
  if (info.get('sync_replication') !== '1') {
    const hint = 'set sync-replication yes in its file; a redis-server cannot be a voter'
    return [speak.problem('it replicates asynchronously, so it cannot be fenced', hint)]
  }
  const other = otherLayout(info, layout)
  if (other !== undefined) {
    return [speak.problem(`in its term ${info.get('sync_term')} ${other.text}`, other.hint)]
  }
  if (info.get('sync_voter') === '1') return [speak.passed('it has a vote')]
  if (info.get('sync_term') === '0') return [speak.passed('it waits for the first term')]
  const hint =
    'it gets it when it has caught up with a master of this term; after a lost disk: SENTINEL FAILOVER'
  return [speak.warning(`it has no vote now (${info.get('sync_state')})`, hint)]
}

/** What a node's present term says otherwise than the file: it refuses every fence of a Sentinel with that file. */
function otherLayout(
  info: SeenNode['info'],
  { addresses, needed }: Layout,
): { readonly text: string; readonly hint: string } | undefined {
  const told = info.get('sync_voters') ?? ''
  if (told !== '' && told.split(' ').sort().join(' ') !== [...addresses].sort().join(' ')) {
    const hint = 'write the same voters in the file of every Sentinel'
    return { text: `the voters are ${told}`, hint }
  }
  const quorum = Number(info.get('sync_write_quorum') ?? 0)
  if (quorum === 0 || quorum === needed) return undefined
  const hint = `write the same ${GROUP_OPTIONS.writeQuorum.yml} in the file of every Sentinel, or change it as docs/strict.md says`
  return { text: `the write quorum is ${quorum}, not ${needed}`, hint }
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
