/** What one Sentinel says of the world, as it was asked. All texts are its own. */

import { hostAndPort } from '../../base/ip.ts'
import type { GroupOption } from '../../core/group-option-kinds.ts'
import {
  GROUP_OPTIONS,
  isNumeric,
  isOwnOption,
  JUDGING_OPTION_ROWS,
  optionText,
  valueInRedis,
} from '../../core/group-options.ts'
import { isOurs } from './info.ts'

/** An instance as SENTINEL MASTER, REPLICAS and SENTINELS show it. */
export type InstanceFields = Readonly<Record<string, string>>

export interface SentinelAnswer {
  /** The `host:port` at which we asked. */
  readonly address: string
  /** Why there is no answer; undefined if it answered. */
  readonly failure: string | undefined
  /** 40 hex characters; empty without an answer. */
  readonly myid: string
  /** As `processOf` tells one process from another with the same id; undefined: it does not say. */
  readonly process: string | undefined
  /** As `programIn` names it: `vedette 0.1.0`. */
  readonly program: string
  readonly isTilted: boolean
  readonly groups: readonly GroupView[]
  /** Only from a Vedette Sentinel: why an instance refuses it, and why it does not act. */
  readonly remarks: readonly Remark[]
  /** Only from a Vedette Sentinel: why it has no connection to instances that are down for it. */
  readonly unreached: readonly Remark[]
}

export interface GroupView {
  readonly name: string
  /** `host:port` as clients are told. */
  readonly address: string
  readonly master: InstanceFields
  readonly replicas: readonly InstanceFields[]
  readonly peers: readonly InstanceFields[]
  /** The answer to CKQUORUM, `OK …` or `NOQUORUM …`. */
  readonly quorum: string
  /** Undefined if the Sentinel was not asked, does not know, or may not tell. */
  readonly stream: MasterStream | undefined
}

/** What a master said about its replication stream. */
export interface MasterStream {
  /** How long ago the master said it. */
  readonly ageMs: number
  /** Bytes of the stream that it has written. */
  readonly offset: number
  /** By `host:port`, as the master lists them. */
  readonly replicas: ReadonlyMap<string, ReplicaAck>
  /** Replicas of its replicas, which list them. Sentinels do not know these. */
  readonly chained: readonly string[]
}

export interface ReplicaAck {
  /** Bytes of the stream that the replica has acknowledged. */
  readonly offset: number
  /** How many bytes of the stream it has not acknowledged. */
  readonly lagBytes: number
  /** Seconds between its last acknowledgement and the INFO; undefined: the master does not say. */
  readonly ackSeconds: number | undefined
}

export interface Remark {
  readonly group: string
  /** `slave 10.0.0.2:6379`; empty if it is about the group. */
  readonly instance: string
  readonly text: string
}

export function flagsOf(fields: InstanceFields): readonly string[] {
  return (fields.flags ?? '').split(',')
}

export function isVedette({ program }: SentinelAnswer): boolean {
  return isOurs(program)
}

/** What a Sentinel says of an option of the group. Where it says nothing of one of ours, it does as C Sentinel does. */
export function optionOf(master: InstanceFields, row: GroupOption): string {
  return master[row.name] ?? (isOwnOption(row) ? optionText(valueInRedis(row) ?? '') : '?')
}

/** An option may count only beside a value of another. */
export function hasEffect(master: InstanceFields, { onlyWith }: GroupOption): boolean {
  return onlyWith === undefined || optionOf(master, GROUP_OPTIONS[onlyWith.key]) === onlyWith.value
}

/** The options of ours by their keys, numbers as such. What counts only beside another, and is not said, is left out. */
export function ownOptionsOf(master: InstanceFields): Readonly<Record<string, string | number>> {
  const said = JUDGING_OPTION_ROWS.filter(([, { name, onlyWith, isShownIfSet }]) => {
    const isAlwaysSaid = onlyWith === undefined && isShownIfSet !== true
    return isAlwaysSaid || master[name] !== undefined
  })
  return Object.fromEntries(
    said.map(([key, row]) => {
      const value = optionOf(master, row)
      return [key, isNumeric(row) ? Number(value) : value]
    }),
  )
}

export function addressOf(fields: InstanceFields): string {
  return hostAndPort(fields.ip ?? '?', fields.port ?? '?')
}

/** The other Sentinels this one knows, each `host:port`. */
export function peersOf(view: SentinelAnswer): readonly string[] {
  return [...new Set(view.groups.flatMap((group) => group.peers.map(addressOf)))]
}
