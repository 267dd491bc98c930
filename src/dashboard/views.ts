/** The parts of the cluster's document that the page draws one by one. */
import type { ClusterDocument } from '../http/cluster-document.ts'

export type ShownGroup = ClusterDocument['groups'][number]
export type ShownNode = ShownGroup['nodes'][number]
export type ShownSentinel = ShownGroup['sentinels'][number]
