/** Directives about the process itself: its title, its rank when memory is short, the system's log. */

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import type { Logger } from '../../io/log/logger.ts'
import { Syslog } from '../../io/log/syslog.ts'
import type { UnixDoor } from '../../io/network/unix-door.ts'
import { reasonOf } from '../../io/start-error.ts'
import { USUAL_TCP_BACKLOG } from '../../server/settings/setting-table.ts'
import type { Settings } from '../../server/settings/settings.ts'

/** [syslog-enabled] `log` is told if lines do not get there. */
export function openSyslog(settings: Settings, onTrouble: (reason: string) => void) {
  if (!settings.flag('syslog-enabled')) return undefined
  return new Syslog({
    ident: utf8Text(settings.text('syslog-ident')),
    facility: settings.text('syslog-facility'),
    onTrouble,
  })
}

/** [tcp-backlog] Undefined: the listener knows best. */
export function tcpBacklog(settings: Settings): number | undefined {
  const wanted = settings.int('tcp-backlog')
  return wanted === USUAL_TCP_BACKLOG ? undefined : wanted
}

/** [unixsocket] A relative path begins in [dir], as in Redis. */
export function unixDoor(settings: Settings): UnixDoor | undefined {
  const path = unixPath(settings)
  if (path === '') return undefined
  return { path, mode: Number.parseInt(String(settings.int('unixsocketperm')), 8) }
}

function unixPath(settings: Settings): string {
  const path = utf8Text(settings.text('unixsocket'))
  return path === '' ? '' : resolve(utf8Text(settings.text('dir')), path)
}

/**
 * [set-proc-title] What `ps` shows of this process. Only if a file or a command line says anything about it: otherwise the
 * command line stays visible, which says more. Applied now, and again when CONFIG SET gives another template.
 */
export function keepTitle(settings: Settings, configFile: string): void {
  const apply = () => {
    process.title = processTitleOf(utf8Text(settings.text('proc-title-template')), {
      title: 'vedette-server',
      bind: settings.text('bind'),
      port: settings.int('port'),
      tlsPort: settings.int('tls-port'),
      unixSocket: unixPath(settings),
      configFile,
    })
  }
  if (!settings.flag('set-proc-title')) return
  const isGiven = settings.isGiven('set-proc-title') || settings.isGiven('proc-title-template')
  if (isGiven) apply()
  settings.onChange('proc-title-template', apply)
}

/**
 * [oom-score-adj] Which process Linux ends first when the machine is out of memory: one with a higher
 * number. A master gets the first number of the list, a replica the second; the third is for forked
 * children, and nothing is forked. Applied now, when the role changes, and before CONFIG SET answers.
 */
export function keepOomScore(settings: Settings, logger: Logger): void {
  const score = new OomScore()
  const apply = () => score.apply(oomWish(settings))
  const tell = () => {
    const problem = apply()
    if (problem !== undefined) logger.log('warning', problem)
  }
  tell()
  settings.onChange('replicaof', tell)
  settings.guard(['oom-score-adj', 'oom-score-adj-values'], apply)
}

function oomWish(settings: Settings): OomWish {
  const [ofMaster = 0, ofReplica = 0] = settings.text('oom-score-adj-values').split(' ').map(Number)
  const value = settings.text('replicaof') === '' ? ofMaster : ofReplica
  return { mode: settings.text('oom-score-adj') as OomWish['mode'], value }
}

interface TitleFacts {
  readonly title: string
  readonly bind: string
  readonly port: number
  readonly tlsPort: number
  readonly unixSocket: string
  readonly configFile: string
}

/** `{{` stands for a brace. */
function processTitleOf(template: string, facts: TitleFacts): string {
  const [address = '*'] = facts.bind.split(' ')
  const values: Readonly<Record<string, string>> = {
    title: facts.title,
    'listen-addr': facts.unixSocket || `${address || '*'}:${facts.port || facts.tlsPort}`,
    'server-mode': '',
    port: String(facts.port),
    'tls-port': String(facts.tlsPort),
    unixsocket: facts.unixSocket,
    'config-file': facts.configFile,
  }
  const filled = template.replace(/\{\{|\{([a-z-]+)\}/g, (whole, name?: string) =>
    name === undefined ? '{' : (values[name] ?? whole),
  )
  return filled.trimEnd()
}

const FILE = '/proc/self/oom_score_adj'
const MOST = 1000

interface OomWish {
  /** `yes` and `relative` mean the same. */
  readonly mode: 'no' | 'yes' | 'relative' | 'absolute'
  readonly value: number
}

class OomScore {
  /** Before we changed it: as the process was started, or as an operator has set it since. */
  #before = 0
  #isChanged = false

  /** Undefined if it is so now, otherwise why not. */
  apply({ mode, value }: OomWish): string | undefined {
    if (mode === 'no' && !this.#isChanged) return undefined
    try {
      if (!this.#isChanged) this.#before = Number(readFileSync(FILE, 'utf8'))
      const base = mode === 'absolute' ? 0 : this.#before
      const wanted = base + (mode === 'no' ? 0 : value)
      writeFileSync(FILE, String(Math.min(MOST, Math.max(-MOST, wanted))))
      this.#isChanged = mode !== 'no'
      return undefined
    } catch (error) {
      return `oom-score-adj cannot be applied: ${reasonOf(error)}; below its present value it takes privileges`
    }
  }
}
