/** What the ids of replication histories say, as INFO shows them (`master_replid`, `master_replid2`). */

/**
 * Forty zeros mean that there is no history before its own: the node was started as a master and has not
 * followed any other since. A node that was promoted names the history it has followed.
 */
export function isNoHistory(replid2: string): boolean {
  return /^0+$/.test(replid2)
}
