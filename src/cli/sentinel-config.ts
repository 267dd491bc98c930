/** Reads a Sentinel's configuration, in whichever of its two forms, with the command line on top. */
import { readOverrides } from '../config/conf-lines.ts'
import type { Problem } from '../config/problem.ts'
import { parseSentinelConf } from '../config/sentinel-conf.ts'
import type { ParsedSentinelFile, SentinelFile } from '../config/sentinel-file.ts'
import { parseSentinelYml } from '../config/sentinel-yml.ts'
import { readTextFile } from './files.ts'

/** Throws a StartError when the file cannot be read at all. */
export function readSentinelFile(path: string, overrides: readonly string[]): ParsedSentinelFile {
  if (!/\.ya?ml$/i.test(path)) {
    return parseSentinelConf(readTextFile(path, 'latin1'), path, overrides)
  }
  const parsed = parseSentinelYml(readTextFile(path, 'utf8'), path)
  const { lines, problems } = readOverrides(overrides)
  let file = parsed.ok ? parsed.value : undefined
  const faults: Problem[] = [...problems]
  for (const { directive, args } of lines) {
    const change = YML_OVERRIDES[directive]?.(args.join(' '))
    if (change === undefined) faults.push(badOverride(directive))
    else if (file !== undefined) file = change(file)
  }
  if (parsed.ok && file !== undefined && faults.length === 0) return { ...parsed, value: file }
  return { ok: false, problems: parsed.ok ? faults : [...parsed.problems, ...faults] }
}

type Change = (file: SentinelFile) => SentinelFile

/** What a unit file overrides, by its sentinel.yml and its Redis name. Undefined: no such value. */
const YML_OVERRIDES: Readonly<Record<string, (value: string) => Change | undefined>> = {
  port: overridePort,
  bind: (value) => (file) => ({ ...file, listen: { ...file.listen, bind: value.split(' ') } }),
  'state-dir': (value) => (file) => ({ ...file, stateDir: value }),
  dir: (value) => (file) => ({ ...file, stateDir: value }),
  'log-file': (value) => (file) => ({ ...file, logFile: value }),
  logfile: (value) => (file) => ({ ...file, logFile: value }),
  'log-level': overrideLogLevel,
  loglevel: overrideLogLevel,
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

function overrideLogLevel(value: string): Change | undefined {
  const logLevel = (['debug', 'verbose', 'notice', 'warning', 'nothing'] as const).find(
    (level) => level === value,
  )
  return logLevel && ((file) => ({ ...file, logLevel }))
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
