/** What INFO persistence says about the append-only file, in Redis' order, as `name:value`. */
import type { AofLog } from './aof-log.ts'
import type { AofSchedule } from './aof-schedule.ts'

export interface AofFacts {
  readonly isOn: boolean
  readonly isRewriting: boolean
  /** Whether something was done that is not in the files. */
  readonly isFailing: boolean
  /** The size of all files together. */
  readonly sizeBytes: number
  readonly schedule: AofSchedule
  readonly log: AofLog
}

export interface AofReport {
  readonly always: readonly string[]
  /** Fields that appear only while the append-only file is on. */
  readonly whileOn: readonly string[]
}

export function aofReport(facts: AofFacts): AofReport {
  return { always: rewriteLines(facts), whileOn: facts.isOn ? fileLines(facts) : [] }
}

function rewriteLines({ schedule, isOn, isRewriting, isFailing }: AofFacts): string[] {
  return [
    `aof_enabled:${isOn ? 1 : 0}`,
    `aof_rewrite_in_progress:${isRewriting ? 1 : 0}`,
    `aof_rewrite_scheduled:${schedule.isScheduled ? 1 : 0}`,
    `aof_last_rewrite_time_sec:${schedule.lastSeconds}`,
    `aof_current_rewrite_time_sec:${schedule.currentSeconds}`,
    `aof_last_bgrewrite_status:${schedule.hasFailed ? 'err' : 'ok'}`,
    `aof_rewrites:${schedule.begun}`,
    `aof_rewrites_consecutive_failures:${schedule.failures}`,
    `aof_last_write_status:${isFailing ? 'err' : 'ok'}`,
    'aof_last_cow_size:0',
  ]
}

function fileLines({ schedule, log, sizeBytes }: AofFacts): string[] {
  return [
    `aof_current_size:${sizeBytes}`,
    `aof_base_size:${schedule.rewrittenBytes}`,
    'aof_pending_rewrite:0',
    `aof_buffer_length:${log.waitingBytes}`,
    `aof_pending_bio_fsync:${log.isSyncing ? 1 : 0}`,
    `aof_delayed_fsync:${log.delayedSyncs}`,
  ]
}
