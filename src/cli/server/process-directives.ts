/** Directives about the process itself: its title, its rank when memory is short, the system's log. */
import { resolve } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import type { Logger } from '../../io/log/logger.ts'
import { Syslog } from '../../io/log/syslog.ts'
import type { UnixDoor } from '../../io/network/unix-door.ts'
import { OomScore, type OomWish } from '../../io/process/oom-score.ts'
import { processTitleOf } from '../../io/process/title.ts'
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

/** [set-proc-title] Applied now, and again when CONFIG SET gives another template. */
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

/** [oom-score-adj] Applied now, when the role changes, and before CONFIG SET answers. */
export function keepOomScore(settings: Settings, logger: Logger, score = new OomScore()): void {
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
