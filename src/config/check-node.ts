/**
 * Advice about a redis.conf that is valid but may not do what its author hopes when the node is
 * started again: it may come back with no data, without the dump in its folder, or as a stranger to
 * its own replicas.
 */

import { denial } from '../acl/check.ts'
import type { UserLine } from '../acl/user-lines.ts'
import { usersOfLines } from '../acl/user-lines.ts'
import { ruleBook } from '../server/access/access-start.ts'
import { Settings } from '../server/settings/settings.ts'
import type { ConfLine } from './conf-lines.ts'
import { addressHint, canonicalHost } from './host-name.ts'
import type { Problem, ProblemCode } from './problem.ts'
import { directiveHint } from './suggest.ts'

export interface NodeFile {
  readonly file: string
  /** Each directive once. */
  readonly lines: readonly ConfLine[]
  readonly settings: Settings
  /** Valid `user` lines, from the configuration or from the aclfile. */
  readonly users: readonly UserLine[]
  /** Whether `dir` has a file or folder of that name. */
  readonly isThere: (name: string) => boolean
}

/** Why the data node would refuse a directive of redis.conf; undefined if it would not. */
export function directiveRefusal(name: string, value: string): DirectiveRefusal | undefined {
  const settings = new Settings()
  const reason = settings.load(name, [value])
  if (reason === undefined) return undefined
  const known = settings.match('*').map(([one]) => one)
  return { reason, hint: settings.knows(name) ? '' : directiveHint(name, known) }
}

export interface DirectiveRefusal {
  readonly reason: string
  /** May be empty. */
  readonly hint: string
}

/** Warnings only; empty if there is nothing to warn about. */
export function adviseNode(node: NodeFile): Problem[] {
  return [
    ...adviseMaster(node),
    ...adviseKeeping(node),
    ...adviseDump(node),
    ...adviseGuard(node),
    ...adviseVoter(node),
  ]
}

/** [replicaof] The host is looked up when the node connects: it would try for ever. */
function adviseMaster(node: NodeFile): Problem[] {
  const [host = ''] = node.settings.text('replicaof').split(' ')
  if (host === '' || canonicalHost(host) !== undefined) return []
  const message = `'${host}' is no address and no host name: the node will not find its master`
  const hint = addressHint(host, 'an address or a name, such as 10.0.0.1')
  const path = node.lines.some(({ directive }) => directive === 'slaveof') ? 'slaveof' : 'replicaof'
  return [warn(node, 'W_MASTER_ADDRESS', path, message, hint)]
}

function adviseKeeping(node: NodeFile): Problem[] {
  const { settings } = node
  if (settings.flag('appendonly') || settings.text('save') !== '') return []
  const message = 'nothing is kept on disk: after a restart the node is empty'
  const hint =
    'set appendonly yes, or restart it only after a replica has been promoted (RestartSec)'
  return [warn(node, 'W_KEEPS_NOTHING', 'save', message, hint)]
}

/** With an append-only file, the node loads nothing else. */
function adviseDump(node: NodeFile): Problem[] {
  const { settings, isThere } = node
  const dump = settings.text('dbfilename')
  if (!settings.flag('appendonly') || !isThere(dump)) return []
  const log = settings.text('appendfilename')
  if (isThere(`${settings.text('appenddirname')}/${log}.manifest`) || isThere(log)) return []
  const message = `there is no append-only file yet: the node starts without data, and ${dump} is not loaded`
  const hint = 'start it with appendonly no, then CONFIG SET appendonly yes'
  return [warn(node, 'W_DUMP_NOT_LOADED', 'appendonly', message, hint)]
}

/**
 * The nodes of a group mostly share one file, so the masteruser of this node is usually a user that
 * the file defines for the others.
 */
function adviseGuard(node: NodeFile): Problem[] {
  const { settings } = node
  const name = settings.text('masteruser')
  if (name === '' || !settings.flag('replica-empty-master-guard')) return []
  const user = usersOfLines(node.users, ruleBook(settings)).get(name)
  if (user === undefined || denial(user, INFO) === undefined) return []
  const message = `user ${name} may not run INFO, so a replica cannot distinguish a master restarted from its append-only file from one that lost its data, and refuses both`
  return [warn(node, 'W_GUARD_NEEDS_INFO', 'masteruser', message, `add +info to user ${name}`)]
}

/** [sync-replication] What an acknowledgement of this voter means, and whether it can be a master. */
function adviseVoter(node: NodeFile): Problem[] {
  const { settings } = node
  if (!settings.flag('sync-replication')) return adviseVain(node)
  const problems: Problem[] = []
  if (!settings.flag('appendonly') || settings.text('appendfsync') !== 'always') {
    const message =
      'what this voter acknowledges is in its memory: power that fails for all voters loses it'
    const hint = 'appendonly yes and appendfsync always on every voter; docs/strict.md has the cost'
    const path = settings.flag('appendonly') ? 'appendfsync' : 'appendonly'
    problems.push(warn(node, 'W_VOTER_IN_MEMORY', path, message, hint))
  }
  if (settings.int('replica-priority') === 0) {
    const message =
      'a voter that is never promoted: if it alone has what was acknowledged, the group waits for the old master'
    const hint = 'give it a priority above 0; a high one is promoted last'
    problems.push(warn(node, 'W_VOTER_NEVER_PROMOTED', 'replica-priority', message, hint))
  }
  return problems
}

/** Whoever sets one of them takes the node for a voter. */
function adviseVain(node: NodeFile): Problem[] {
  const said = node.lines.filter(({ directive }) => OF_VOTERS.includes(directive))
  return [...new Set(said.map(({ directive }) => directive))].map((path) => {
    const hint = 'set sync-replication yes, or leave it out'
    return warn(node, 'W_NO_EFFECT', path, 'has no effect without sync-replication yes', hint)
  })
}

const OF_VOTERS: readonly string[] = ['min-sync-replicas', 'sync-replication-timeout']

const INFO = {
  name: 'info',
  isForEverybody: false,
  argv: ['INFO'],
  keys: () => [],
  channels: () => [],
}

function warn(
  { file, lines }: NodeFile,
  code: ProblemCode,
  path: string,
  message: string,
  hint: string,
): Problem {
  const place = lines.find(({ directive }) => directive === path)
  return {
    severity: 'warning',
    code,
    file: place?.file ?? file,
    line: place?.line,
    column: place?.column,
    path,
    message,
    hint,
  }
}
