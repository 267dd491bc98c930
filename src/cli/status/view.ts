/** What one Sentinel says of the world, as it was asked. All texts are its own. */

/** An instance as SENTINEL MASTER, REPLICAS and SENTINELS show it. */
export type Fields = Readonly<Record<string, string>>

export interface SentinelView {
  /** `host:port` we asked at. */
  readonly address: string
  /** Why there is no answer; undefined: it answered. */
  readonly failure: string | undefined
  /** 40 hex characters; empty without an answer. */
  readonly myid: string
  /** `redis 7.0.15`, or what the program calls itself. */
  readonly program: string
  readonly isTilted: boolean
  readonly groups: readonly GroupView[]
  /** What only a Vedette Sentinel tells: why an instance turns it away, and why it does not act. */
  readonly remarks: readonly Remark[]
}

export interface GroupView {
  readonly name: string
  /** `host:port` as clients are told it. */
  readonly address: string
  readonly master: Fields
  readonly replicas: readonly Fields[]
  readonly peers: readonly Fields[]
  /** The answer to CKQUORUM, `OK …` or `NOQUORUM …`. */
  readonly quorum: string
}

export interface Remark {
  readonly group: string
  /** `slave 10.0.0.2:6379`; empty: about the group. */
  readonly instance: string
  readonly text: string
}

export function flagsOf(fields: Fields): readonly string[] {
  return (fields.flags ?? '').split(',')
}

/** How a Vedette Sentinel judges a master; durations in milliseconds. */
export interface DetectionView {
  readonly detection: string
  readonly refusedAfterMs: number | undefined
  readonly grayAfterMs: number
}

/** Where the fields are missing, it judges as C Sentinel does. */
export function detectionOf(master: Fields): DetectionView {
  const refusedAfter = master['refused-after']
  return {
    detection: master.detection ?? 'ping',
    refusedAfterMs: refusedAfter === undefined ? undefined : Number(refusedAfter),
    grayAfterMs: Number(master['gray-after'] ?? 0),
  }
}

export function addressOf(fields: Fields): string {
  return hostAndPort(fields.ip ?? '?', fields.port ?? '?')
}

export function hostAndPort(host: string, port: string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** The other Sentinels this one knows, each `host:port`. */
export function peersOf(view: SentinelView): readonly string[] {
  return [...new Set(view.groups.flatMap((group) => group.peers.map(addressOf)))]
}
