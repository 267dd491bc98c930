/** The programs that are compared. */

export const CONTENDERS = [
  { id: 'ours', family: 'vedette', title: 'Vedette' },
  { id: 'theirs', family: 'redis', title: 'redis-server' },
]
