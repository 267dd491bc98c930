/** The options of SENTINEL SET: how many values each takes, which are valid, and what they change. */
import { DETECTIONS, type GroupConfig, type RenamedCommand } from '../config.ts'
import { parseInteger } from './sentinel-arguments.ts'

export interface Option {
  /** How many words follow its name. */
  readonly values: number
  /** A path of a program, which has to exist. */
  readonly isScript: boolean
  /** What error texts call it. */
  readonly title: string
  /** What it changes, or the value that is not a valid one. */
  change(config: GroupConfig, values: readonly string[]): Partial<GroupConfig> | string
}

/** By its name in either case; undefined: there is no such option. */
export function findOption(typed: string): Option | undefined {
  return OPTIONS.get(typed.toLowerCase())
}

const REBOOT = integer(0, (rebootDownAfterMs) => ({ rebootDownAfterMs }))

const OPTIONS: ReadonlyMap<string, Option> = new Map<string, Option>([
  ['down-after-milliseconds', integer(1, (downAfterMs) => ({ downAfterMs }))],
  ['failover-timeout', integer(1, (failoverTimeoutMs) => ({ failoverTimeoutMs }))],
  ['parallel-syncs', integer(1, (parallelSyncs) => ({ parallelSyncs }))],
  ['quorum', integer(1, (quorum) => ({ quorum }))],
  ['notification-script', script('Notification', (path) => ({ notificationScript: path }))],
  [
    'client-reconfig-script',
    script('Client reconfiguration', (path) => ({ clientReconfigScript: path })),
  ],
  ['auth-pass', text((authPass) => ({ authPass }))],
  ['auth-user', text((authUser) => ({ authUser }))],
  ['rename-command', { values: 2, isScript: false, title: '', change: renameCommand }],
  ['master-reboot-down-after-period', REBOOT],
  // Valkey's name for it.
  ['primary-reboot-down-after-period', REBOOT],
  ['detection', { values: 1, isScript: false, title: '', change: setDetection }],
  ['refused-after', integer(1, (refusedAfterMs) => ({ refusedAfterMs }))],
  ['gray-after', integer(0, (grayAfterMs) => ({ grayAfterMs }))],
])

function integer(least: number, change: (value: number) => Partial<GroupConfig>): Option {
  return {
    values: 1,
    isScript: false,
    title: '',
    change: (_config, [value = '']) => {
      const number = parseInteger(value)
      return number === undefined || number < least ? value : change(number)
    },
  }
}

function text(change: (value: string) => Partial<GroupConfig>): Option {
  return { values: 1, isScript: false, title: '', change: (_config, [value = '']) => change(value) }
}

function script(title: string, change: (path: string) => Partial<GroupConfig>): Option {
  return { ...text(change), isScript: true, title }
}

/** In either case, as C Sentinel takes words. */
function setDetection(
  _config: GroupConfig,
  [value = '']: readonly string[],
): Partial<GroupConfig> | string {
  const detection = DETECTIONS.find((word) => word === value.toLowerCase())
  return detection === undefined ? value : { detection }
}

/** A command that is renamed to itself goes by its own name again. */
function renameCommand(
  { renamedCommands }: GroupConfig,
  [name = '', sentAs = '']: readonly string[],
): Partial<GroupConfig> | string {
  if (name === '' || sentAs === '') return ''
  const own = name.toLowerCase()
  const others = renamedCommands.filter(([other]) => other !== own)
  const added: readonly RenamedCommand[] = sentAs.toLowerCase() === own ? [] : [[own, sentAs]]
  return { renamedCommands: [...others, ...added] }
}
