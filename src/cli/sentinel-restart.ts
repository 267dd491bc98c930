/** What of a configuration counts only at the start of the process. */
import type { SentinelFile } from '../config/sentinel-file.ts'

/** The options, by their names in sentinel.conf, that differ from what the process was started with. */
export function changesForRestart(started: SentinelFile, file: SentinelFile): readonly string[] {
  return AT_START.filter(([, read]) => {
    return JSON.stringify(read(started)) !== JSON.stringify(read(file))
  }).map(([name]) => name)
}

type Read = (file: SentinelFile) => unknown

const AT_START: readonly (readonly [name: string, read: Read])[] = [
  ['port', ({ core }) => core.port],
  ['bind', ({ listen }) => listen.bind],
  ['tls-port', ({ tls }) => tls.port],
  ['tls-replication', ({ tls }) => tls.replication],
  ['bind-source-addr', ({ bindSourceAddr }) => bindSourceAddr],
  ['dir', ({ stateDir }) => stateDir],
  ['state-file', ({ stateFile }) => stateFile],
  ['aclfile', ({ aclFile }) => aclFile],
  ['acl-pubsub-default', ({ core }) => core.aclPubsubDefault],
  ['acllog-max-len', ({ core }) => core.aclLogMaxLength],
  ['rename-command', ({ core }) => core.ownRenamedCommands],
  ['client-output-buffer-limit', ({ outputLimitBytes }) => outputLimitBytes],
  ['daemonize', ({ daemonize }) => daemonize],
  ['pidfile', ({ pidFile }) => pidFile],
  ['supervised', ({ supervised }) => supervised],
]
