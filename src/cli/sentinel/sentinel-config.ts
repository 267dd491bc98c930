/** Reads a Sentinel's configuration, in either of its two forms, with the command line on top. */
import { resolve } from 'node:path'
import { LOG_FORMATS } from '../../base/log-format.ts'
import { voterErrors } from '../../config/check-voters.ts'
import { readOverrides } from '../../config/conf-lines.ts'
import { NO_OUTSIDE } from '../../config/config-filesystem.ts'
import type { Problem } from '../../config/problem.ts'
import { parseSentinelConf } from '../../config/sentinel-conf.ts'
import { isYml, type ParsedSentinelFile, type SentinelFile } from '../../config/sentinel-file.ts'
import { parseSentinelYml } from '../../config/sentinel-yml.ts'
import { nodeOutside } from '../../io/files/config-filesystem.ts'
import { readTextFile, readYmlFile } from '../files.ts'

/** Where a configuration comes from; used again on SIGHUP. */
export interface SentinelSource {
  readonly path: string
  /** `--port 26380` and so on. */
  readonly overrides: readonly string[]
  /** The text of a sentinel.conf, if it has been read already: a pipe can be read only once. */
  readonly text?: string
  /** The text from standard input: more lines of a sentinel.conf. */
  readonly stdin?: string | undefined
  /** The folder the program was started in: relative paths are relative to it. */
  readonly home?: string | undefined
  /** It may be for another machine: its folders and programs need not exist here. */
  readonly elsewhere?: boolean
}

/** Throws a StartError if the file cannot be read at all. */
export function readSentinelFile(source: SentinelSource): ParsedSentinelFile {
  const parsed = parse(source)
  if (!parsed.ok) return parsed
  const errors = voterErrors(parsed.value)
  if (errors.length === 0) return parsed
  return { ok: false, problems: [...parsed.warnings, ...errors], fatal: undefined }
}

function parse(source: SentinelSource): ParsedSentinelFile {
  const { path, overrides, stdin = '', home = process.cwd() } = source
  const here = nodeOutside(home)
  const { include, variable, secretFile } = here
  const outside = source.elsewhere ? { ...NO_OUTSIDE, include, variable, secretFile } : here
  const place = resolve(home, path)
  if (!isYml(path)) {
    const text = source.text ?? readTextFile(place, 'latin1')
    return parseSentinelConf(text + stdin, path, overrides, outside)
  }
  const parsed = parseSentinelYml(readYmlFile(place), path, outside)
  const { lines, problems } = readOverrides(overrides, 1, outside)
  let file = parsed.ok ? parsed.value : undefined
  const faults: Problem[] = [...problems]
  for (const { directive, args } of lines) {
    const change = YML_OVERRIDES[directive]?.(args.join(' '))
    if (change === undefined) faults.push(badOverride(directive))
    else if (file !== undefined) file = change(file)
  }
  if (parsed.ok && file !== undefined && faults.length === 0) return { ...parsed, value: file }
  const all = parsed.ok ? faults : [...parsed.problems, ...faults]
  return { ok: false, problems: all, fatal: undefined }
}

type Change = (file: SentinelFile) => SentinelFile

/**
 * What a unit file can override, by the names of sentinel.yml and of Redis. Undefined for an
 * invalid value.
 */
const YML_OVERRIDES: Readonly<Record<string, (value: string) => Change | undefined>> = {
  port: overridePort,
  bind: (value) => (file) => ({ ...file, listen: { ...file.listen, bind: value.split(' ') } }),
  'state-dir': (value) => (file) => ({ ...file, stateDir: value }),
  dir: (value) => (file) => ({ ...file, stateDir: value }),
  'log-file': (value) => (file) => ({ ...file, logFile: value }),
  logfile: (value) => (file) => ({ ...file, logFile: value }),
  'log-format': overrideLogFormat,
  'log-level': overrideLogLevel,
  loglevel: overrideLogLevel,
  daemonize: overrideDaemonize,
  'pid-file': (value) => (file) => ({ ...file, pidFile: value }),
  pidfile: (value) => (file) => ({ ...file, pidFile: value }),
  supervised: overrideSupervised,
  'http-port': overrideHttpPort,
}

function overrideDaemonize(value: string): Change | undefined {
  if (value !== 'yes' && value !== 'no') return undefined
  return (file) => ({ ...file, daemonize: value === 'yes' })
}

function overrideSupervised(value: string): Change | undefined {
  const supervised = (['no', 'auto', 'systemd', 'upstart'] as const).find((word) => word === value)
  return supervised && ((file) => ({ ...file, supervised }))
}

function overridePort(value: string): Change | undefined {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) return undefined
  return (file) => ({
    ...file,
    core: { ...file.core, port },
    listen: { ...file.listen, port },
  })
}

function overrideHttpPort(value: string): Change | undefined {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port > 65_535) return undefined
  return (file) => ({ ...file, http: { ...file.http, port } })
}

function overrideLogLevel(value: string): Change | undefined {
  const logLevel = (['debug', 'verbose', 'notice', 'warning', 'nothing'] as const).find(
    (level) => level === value,
  )
  return logLevel && ((file) => ({ ...file, logLevel, core: { ...file.core, logLevel } }))
}

function overrideLogFormat(value: string): Change | undefined {
  const logFormat = LOG_FORMATS.find((format) => format === value)
  return logFormat && ((file) => ({ ...file, logFormat }))
}

function badOverride(directive: string): Problem {
  return {
    severity: 'error',
    code: 'E_VALUE',
    file: 'command line',
    path: directive,
    message: 'cannot be set on the command line, or not to this value',
    hint: `beside a sentinel.yml: ${Object.keys(YML_OVERRIDES).join(', ')}`,
  }
}
