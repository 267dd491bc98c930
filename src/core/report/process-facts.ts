/**
 * What INFO says of the process around the machine. It is handed in like a clock: the machine shows it
 * and decides nothing by it.
 */
export interface ProcessFacts {
  readonly pid: number
  /** Name, release and hardware of the operating system. */
  readonly os: string
  readonly archBits: 32 | 64
  /** The program's own file. */
  readonly executable: string
  /** The user's configuration file; empty when there is none. */
  readonly configFile: string
  /** [supervised] Who has to be told that we run. */
  readonly supervised: string
  /** Processor time used so far, in seconds. */
  cpuUsage(): CpuUsage
}

export interface CpuUsage {
  readonly systemSeconds: number
  readonly userSeconds: number
}
