/** Who is compared; both watch Redis' own data nodes. */
export const CONTENDERS = [
  { id: 'A', sentinel: 'vedette', title: 'Vedette', needs: undefined },
  { id: 'C', sentinel: 'redis', title: 'Redis', needs: 'redis-sentinel' },
]
