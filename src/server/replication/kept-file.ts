/** The append-only file, as far as it is a matter of replication: who has on disk what. */
export interface KeptFile {
  readonly isOn: boolean
  /** What has been done since the node started, in bytes of the file. */
  readonly doneBytes: number
  /** How much of that is on the disk. */
  readonly syncedBytes: number
  /** Up to this offset of the history everything is on the disk; undefined: nobody knows. */
  readonly syncedOffset: number | undefined
  /** `offset`: of the history, as applied; `synced`: more is on the disk, or the file is off. */
  follow(watcher: FileWatcher): void
}

export interface FileWatcher {
  offset(): number
  synced(): void
}
