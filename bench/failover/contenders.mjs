/**
 * What is compared, under which faults, and through which client. R is the peer: what a user of Redis
 * has today.
 */

export const PEER = 'R'

export const CONTENDERS = [
  { id: 'A', sentinel: 'vedette', detection: 'evidence', node: 'vedette' },
  { id: 'B', sentinel: 'vedette', detection: 'evidence', node: 'redis' },
  { id: 'C', sentinel: 'vedette', detection: 'ping', node: 'redis' },
  { id: 'D', sentinel: 'vedette', detection: 'ping', node: 'vedette' },
  { id: PEER, sentinel: 'redis', node: 'redis' },
]

/** D shows nothing that A and C do not show together. */
export const DEFAULT_CONTENDERS = ['A', 'B', 'C', PEER]

/** For a heading: the Sentinels, then the data nodes. */
export function titleOf({ sentinel, detection, node }) {
  const watchers = sentinel === 'vedette' ? `Vedette, ${detection}` : 'Redis'
  return `${watchers}, over ${node === 'vedette' ? 'Vedette' : 'Redis'}`
}

/** The commands besides Node that a contender needs. */
export function neededBy({ sentinel, node }) {
  const needed = []
  if (node === 'redis') needed.push('redis-server')
  if (sentinel === 'redis') needed.push('redis-sentinel')
  return needed
}

/** `strike` resolves as soon as it has happened. */
export const FAULTS = [
  {
    id: 'kill',
    name: 'SIGKILL of the master',
    title: 'the process ends and its connections break',
    strike: ({ master }) => master.member.child.kill('SIGKILL'),
  },
  {
    id: 'stop',
    name: 'SIGSTOP of the master',
    title: 'the connections stay, the answers do not come',
    strike: ({ master }) => master.member.child.kill('SIGSTOP'),
  },
  {
    id: 'cut',
    name: 'Network cut of the master',
    title: 'every host is a network namespace; nothing gets to the master or away from it any more',
    needsNetwork: true,
    strike: ({ place }) => place.isolate('master'),
  },
]

/** Stock clients; see application.mjs for their options. */
export const CLIENTS = ['ioredis', 'node-redis']
