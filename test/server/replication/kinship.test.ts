import { expect, test } from 'vitest'
import {
  divergenceFrom,
  hasLostItsData,
  type Offer,
  type OwnPosition,
} from '../../../src/server/replication/history/divergence.ts'
import { NO_REPLICATION_ID } from '../../../src/server/replication/history/history.ts'
import type { Lineage } from '../../../src/server/replication/history/lineage.ts'

const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
  string,
]

/** A master of history A that has come to offset 200. */
const OWN: OwnPosition = { id: A, offset: 200, previousId: NO_REPLICATION_ID, secondOffset: -1 }

function offer(id: string, offset: number, lineage: Partial<Lineage> = {}): Offer {
  const nothing = { previousId: NO_REPLICATION_ID, secondOffset: -1, isReplica: false, keys: 0 }
  return { id, offset, lineage: { id, offset, ...nothing, ...lineage } }
}

const CASES: { title: string; own?: Partial<OwnPosition>; offer: Offer; kin: object }[] = [
  {
    title: 'a replica promoted at 100 has our history up to there',
    offer: offer(B, 150, { previousId: A, secondOffset: 101 }),
    kin: { kind: 'known', fork: 101 },
  },
  {
    title: 'a node in our own history has it as far as it is',
    offer: offer(A, 180),
    kin: { kind: 'known', fork: 181 },
  },
  {
    title: 'a master we were promoted from has it up to our promotion',
    own: { previousId: B, secondOffset: 120 },
    offer: offer(B, 500),
    kin: { kind: 'known', fork: 120 },
  },
  {
    title: 'a master we were promoted from may be behind our promotion',
    own: { previousId: B, secondOffset: 120 },
    offer: offer(B, 90),
    kin: { kind: 'known', fork: 91 },
  },
  {
    title: 'two that were promoted from one master differ from the earlier promotion on',
    own: { previousId: C, secondOffset: 120 },
    offer: offer(B, 500, { previousId: C, secondOffset: 110 }),
    kin: { kind: 'known', fork: 110 },
  },
  {
    title: 'a history that began where it is, is new',
    offer: offer(B, 10),
    kin: { kind: 'new' },
  },
  {
    title: 'two histories without a previous one have none in common',
    offer: offer(B, 10, { previousId: NO_REPLICATION_ID }),
    kin: { kind: 'new' },
  },
  {
    title: 'a history from one we never heard of is foreign',
    offer: offer(B, 150, { previousId: D, secondOffset: 50 }),
    kin: { kind: 'foreign' },
  },
  {
    title: 'a master that began to count after INFO is still new',
    offer: { id: C, offset: 0, lineage: offer(B, 0).lineage },
    kin: { kind: 'new' },
  },
  {
    title: 'a lineage of another id than the offer says nothing',
    offer: { id: C, offset: 0, lineage: offer(B, 0, { previousId: A }).lineage },
    kin: { kind: 'unclear', mayAsk: false },
  },
  {
    title: 'who was not asked may be',
    offer: { id: B, offset: 10, lineage: 'unasked' },
    kin: { kind: 'unclear', mayAsk: true },
  },
  {
    title: 'who does not tell is not asked again',
    offer: { id: B, offset: 10, lineage: 'untold' },
    kin: { kind: 'unclear', mayAsk: false },
  },
]

for (const { title, own, offer: offered, kin } of CASES) {
  test(title, () => expect(divergenceFrom({ ...OWN, ...own }, offered)).toEqual(kin))
}

const FOLLOWED = { wasInStep: true, isToldAgain: false }
const NAMED = { wasInStep: false, isToldAgain: false }

const LOSSES: { title: string; offer: Offer; followed: boolean; named: boolean }[] = [
  { title: 'a new and shorter history', offer: offer(B, 10), followed: true, named: true },
  { title: 'a new history as long as ours', offer: offer(B, 200), followed: false, named: false },
  {
    title: 'a history that continues ours, from before our end',
    offer: offer(B, 150, { previousId: A, secondOffset: 101 }),
    followed: true,
    named: false,
  },
  {
    title: 'a shorter foreign history',
    offer: offer(B, 150, { previousId: D, secondOffset: 50 }),
    followed: true,
    named: false,
  },
  {
    title: 'a shorter history nobody tells the origin of',
    offer: { id: B, offset: 150, lineage: 'untold' },
    followed: true,
    named: false,
  },
  { title: 'our own history, shorter', offer: offer(A, 150), followed: false, named: false },
  {
    title: 'a replica with a shorter history',
    offer: offer(B, 150, { isReplica: true }),
    followed: true,
    named: false,
  },
]

for (const { title, offer: offered, followed, named } of LOSSES) {
  test(`${title}: ${followed ? 'a loss' : 'none'} if we have followed it, ${named ? 'a loss' : 'none'} if it was named to us`, () => {
    expect([hasLostItsData(OWN, offered, FOLLOWED), hasLostItsData(OWN, offered, NAMED)]).toEqual([
      followed,
      named,
    ])
  })
}
