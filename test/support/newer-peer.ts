/** Which newer server stands in the place of redis-server; see scripts/newer-peers.mjs. */

/** As its --version says: `Valkey 9.1.2`; empty: none. */
const [name = '', version = ''] = (process.env.VEDETTE_NEWER_PEER ?? '').toLowerCase().split(' ')

/** `redis`, `valkey`; empty: redis-server is that of the distribution. */
export const NEWER_PEER = name

/** From which version on a server has all that is compared. */
const SINCE: Readonly<Record<string, number>> = { redis: 8, valkey: 9.1 }

/** Whether it has fields of hashes that expire, and the other commands that tests ask it for. */
export const IS_NEWEST_PEER =
  Number.parseFloat(version) >= (SINCE[name] ?? Number.POSITIVE_INFINITY)

/** For the name of what is skipped without it. */
export const HOW_TO_GET_IT = 'npm run test:newer -- --suite sid'
