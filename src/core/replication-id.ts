/** What the names of replication histories say, as INFO has them (`master_replid`, `master_replid2`). */

/**
 * Forty zeros stand for a history before the own one that does not exist: the node was started as a master
 * and has followed nobody since. One that was promoted names the history it has followed.
 */
export function isNoHistory(replid2: string): boolean {
  return /^0+$/.test(replid2)
}
