/** Who is compared. C is the peer: what a user of Redis has today. */

export const CONTENDERS = [
  { id: 'A', sentinel: 'vedette', node: 'vedette', title: 'Vedette over Vedette' },
  { id: 'B', sentinel: 'vedette', node: 'redis', title: 'Vedette over Redis' },
  { id: 'C', sentinel: 'redis', node: 'redis', title: 'Redis over Redis' },
]

/** A command besides Node that a contender cannot do without. */
export function neededBy({ sentinel, node }) {
  const needed = []
  if (node === 'redis') needed.push('redis-server')
  if (sentinel === 'redis') needed.push('redis-sentinel')
  return needed
}

export const FAULTS = [
  { signal: 'SIGKILL', title: 'the process ends and its connections break' },
  { signal: 'SIGSTOP', title: 'the connections stay, the answers do not come' },
]
