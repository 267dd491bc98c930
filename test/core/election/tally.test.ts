import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Ballot, tally } from '../../../src/core/election/tally.ts'

const voter = fc.constantFrom('me', 'b', 'c')
const ballots: fc.Arbitrary<Ballot> = fc.record({
  me: fc.constant('me'),
  epoch: fc.constant(7),
  needed: fc.integer({ min: 1, max: 5 }),
  ownVote: fc.option(voter, { nil: undefined }),
  votes: fc.array(fc.record({ leader: voter, epoch: fc.integer({ min: 6, max: 8 }) }), {
    maxLength: 6,
  }),
  outstanding: fc.integer({ min: 0, max: 4 }),
})

/** The second, naive version: walks all voters for one candidate, as one would by hand. */
function votesFor(candidate: string, ballot: Ballot): number {
  let count = ballot.ownVote === candidate ? 1 : 0
  for (const vote of ballot.votes) {
    if (vote.leader === candidate && vote.epoch === ballot.epoch) count++
  }
  return count
}

test('an election is won exactly when enough votes of this epoch name us', () => {
  fc.assert(
    fc.property(ballots, (ballot) => {
      expect(tally(ballot).kind === 'won').toBe(votesFor('me', ballot) >= ballot.needed)
    }),
  )
})

test('an election is given up only when the votes still missing could not turn it', () => {
  fc.assert(
    fc.property(ballots, (ballot) => {
      const best = votesFor('me', ballot) + ballot.outstanding
      expect(tally(ballot).kind === 'lost').toBe(best < ballot.needed)
    }),
  )
})

test('of all candidates at most one can win with a majority of the voters', () => {
  const polls = fc.record({
    // Each voter votes once: that is what vote.ts guarantees and this relies on.
    votes: fc.array(voter, { minLength: 1, maxLength: 9 }),
  })
  fc.assert(
    fc.property(polls, ({ votes }) => {
      const needed = Math.floor(votes.length / 2) + 1
      const winners = ['me', 'b', 'c'].filter(
        (me) =>
          tally({
            me,
            epoch: 1,
            needed,
            ownVote: undefined,
            votes: votes.map((leader) => ({ leader, epoch: 1 })),
            outstanding: 0,
          }).kind === 'won',
      )
      expect(winners.length).toBeLessThanOrEqual(1)
    }),
  )
})

test('a lost election names the candidate that has the votes', () => {
  const votes = [
    { leader: 'b', epoch: 3 },
    { leader: 'b', epoch: 3 },
  ]
  const ballot = { me: 'me', epoch: 3, needed: 2, ownVote: 'me', votes, outstanding: 0 }
  expect(tally(ballot)).toEqual({ kind: 'lost', leader: 'b' })
})
