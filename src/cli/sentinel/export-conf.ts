/** `vedette export-conf`: the configuration and what was learnt, as a sentinel.conf for redis-sentinel. */
import { dirname, resolve } from 'node:path'
import { exportConf } from '../../config/export-conf.ts'
import { goneOnSince } from '../../config/gone-on.ts'
import { type SentinelFile, stateFileName } from '../../config/sentinel-file.ts'
import { type LoadedState, loadState } from '../../io/files/state-file.ts'
import { StartError } from '../../io/start-error.ts'
import { refuseStart } from '../daemon/start-refused.ts'
import { PRIVATE_MODE, writeResult } from '../files.ts'
import { EXIT_FAILED, say } from '../report.ts'
import { readSentinelFile } from './sentinel-config.ts'

export interface ExportOptions {
  /** The state file; by default the one that belongs to the configuration. */
  readonly state?: string
  /** By default standard output. */
  readonly out?: string
}

/** Returns the exit status. A running Sentinel is not disturbed. */
export function runExportConf(path: string, options: ExportOptions): number {
  const parsed = readSentinelFile({ path, overrides: [], elsewhere: true })
  if (!parsed.ok) return refuseStart(parsed.problems, parsed.fatal)
  const exported = exportConf(
    parsed.value,
    readState(parsed.value, path, options).saved,
    Date.now(),
  )
  if (!exported.ok) {
    say(
      'vedette: this cannot be said to redis-sentinel; change it first, here and on the data nodes:',
    )
    for (const obstacle of exported.obstacles) say(`  ${obstacle}`)
    return EXIT_FAILED
  }
  for (const note of exported.notes) say(`note: ${note}`)
  write(exported.text, options.out)
  return 0
}

function readState(file: SentinelFile, path: string, { state }: ExportOptions): LoadedState {
  const usual = resolve(file.stateDir ?? dirname(path), stateFileName(file))
  const loaded = loadState(resolve(state ?? usual))
  if (loaded.warning !== undefined) say(`note: state file: ${loaded.warning}`)
  if (loaded.saved !== undefined) {
    return { ...loaded, saved: goneOnSince(loaded.saved, file.learnt) ?? loaded.saved }
  }
  if (state !== undefined) throw noState(state)
  say(`note: there is no ${usual}: only the contents of the configuration are written`)
  return loaded
}

function noState(path: string): StartError {
  const hint = 'the Sentinel names it sentinel-<port>.state, in its dir'
  return new StartError('E_CONFIG_FILE', `there is no state file ${path}`, hint)
}

function write(text: string, out: string | undefined): void {
  const bytes = Buffer.from(text, 'latin1')
  if (out === undefined) {
    process.stdout.write(bytes)
    return
  }
  // It may contain passwords.
  writeResult(out, bytes, PRIVATE_MODE)
}
