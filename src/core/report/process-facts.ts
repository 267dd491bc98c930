import type { EventTally } from './event-tally.ts'

/**
 * What INFO says about the process around the machine. It is passed in like a clock: the machine
 * shows it and bases no decision on it.
 */
export interface ProcessFacts {
  readonly pid: number
  /** 40 hex characters, others at each start; undefined in records of earlier versions, which showed the Sentinel's id. */
  readonly runId: string | undefined
  /** Of Vedette: `0.1.0`. */
  readonly version: string
  /** Name, release and hardware of the operating system. */
  readonly os: string
  readonly archBits: 32 | 64
  /** The program's own file. */
  readonly executable: string
  /** The user's configuration file; empty when there is none. */
  readonly configFile: string
  /** [supervised] The service manager that must be told that we run. */
  readonly supervised: string
  /** Processor time used so far, in seconds. */
  cpuUsage(): CpuUsage
}

export interface CpuUsage {
  readonly systemSeconds: number
  readonly userSeconds: number
}

/** What this process has counted since its start, for INFO. */
export interface Stats {
  connectionsReceived: number
  commandsProcessed: number
  rejected: number
  /** Bytes that came from clients. */
  bytesReceived: number
  /** Pieces in which those bytes came. */
  reads: number
  errorReplies: number
  /** What it has counted of its events. */
  readonly tally: EventTally
}
