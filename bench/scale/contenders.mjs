/** What is compared; all watch Redis' own data nodes. R is the peer. */

export const PEER = 'R'

export const CONTENDERS = [
  { id: 'A', sentinel: 'vedette', detection: 'evidence', title: 'Vedette, evidence' },
  { id: 'B', sentinel: 'vedette', detection: 'ping', title: 'Vedette, ping' },
  { id: PEER, sentinel: 'redis', title: 'Redis', needs: 'redis-sentinel' },
]
