/**
 * The ordinary directives of an exported sentinel.conf: those whose value is not Redis' default.
 */

import { maybeQuoted, quoted } from '../base/quote.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { DEFAULT_PERIODS, DEFAULT_SENTINEL, type SentinelConfig } from '../core/config.ts'
import { usersForRedis } from './export-users.ts'
import { DEFAULT_FILE, type SentinelFile } from './sentinel-file.ts'
import { NO_TLS, type TlsOptions } from './tls-options.ts'

export interface OrdinaryLines {
  readonly lines: readonly string[]
  readonly notes: readonly string[]
}

/**
 * `learntUsers` are the users that ACL SETUSER changed; undefined means that the file's users
 * apply.
 */
export function ordinaryLines(
  file: SentinelFile,
  config: SentinelConfig,
  learntUsers: SentinelConfig['users'] | undefined,
): OrdinaryLines {
  const isSilent = config.logLevel === 'nothing'
  const users = usersForRedis(file.aclFile === '' ? (learntUsers ?? config.users) : [])
  const isSelfSupervised = file.supervised === DEFAULT_FILE.supervised
  const lines: readonly (string | undefined)[] = [
    `port ${config.port}`,
    unless(DEFAULT_FILE.listen.bind, file.listen.bind, `bind ${file.listen.bind.join(' ')}`),
    `protected-mode ${yes(config.protectedMode)}`,
    text('bind-source-addr', file.bindSourceAddr),
    file.stateDir === undefined ? undefined : text('dir', file.stateDir),
    text('logfile', file.logFile),
    `loglevel ${isSilent ? 'warning' : config.logLevel}`,
    `daemonize ${yes(file.daemonize)}`,
    text('pidfile', file.pidFile),
    isSelfSupervised ? undefined : `supervised ${file.supervised}`,
    unless(DEFAULT_SENTINEL.maxClients, config.maxClients, `maxclients ${config.maxClients}`),
    outputLimit(file.outputLimitBytes),
    ...tlsLines(file.tls),
    ...accessLines(file, config, users.users),
  ]
  const notes = [
    ...users.notes,
    ...(file.aclFile === '' ? [] : [ACL_FILE_NOTE]),
    ...(file.webhooks.length === 0
      ? []
      : ['redis-sentinel knows no webhooks: the scripts of a group can take their place']),
    ...(file.proxy === undefined
      ? []
      : ['redis-sentinel has no proxy: run `vedette proxy` beside it with the same section']),
    ...(file.logFormat === DEFAULT_FILE.logFormat || file.logFormat === 'redis'
      ? []
      : ['redis-sentinel knows no log-format: it writes its own']),
    ...(isSilent ? ['loglevel nothing is unknown to Redis 7.0: warning is written'] : []),
    ...(isDifferent(DEFAULT_PERIODS, config.periods)
      ? ['periods have no name in a sentinel.conf: SENTINEL DEBUG sets them at run time']
      : []),
  ]
  return { lines: lines.filter((line) => line !== undefined), notes }
}

const ACL_FILE_NOTE =
  'the aclfile stays as it is: take rules for commands out of it that redis-sentinel does not know ' +
  '(quit, client|setinfo, sentinel|confer and others of ours), or it does not start'

function accessLines(
  { aclFile }: SentinelFile,
  config: SentinelConfig,
  users: SentinelConfig['users'],
): readonly (string | undefined)[] {
  const { requirepass, aclPubsubDefault, aclLogMaxLength } = config
  return [
    requirepass === '' ? undefined : `requirepass ${quoted(requirepass)}`,
    ...users.map((words) => `user ${words.map(maybeQuoted).join(' ')}`),
    text('aclfile', aclFile),
    unless(
      DEFAULT_SENTINEL.aclPubsubDefault,
      aclPubsubDefault,
      `acl-pubsub-default ${aclPubsubDefault}`,
    ),
    unless(DEFAULT_SENTINEL.aclLogMaxLength, aclLogMaxLength, `acllog-max-len ${aclLogMaxLength}`),
    ...config.ownRenamedCommands.map(([own, name]) => `rename-command ${own} ${maybeQuoted(name)}`),
  ]
}

/** Redis also has a soft limit, which we leave at its default. */
function outputLimit(hardBytes: number): string | undefined {
  const line = `client-output-buffer-limit pubsub ${hardBytes} 8mb 60`
  return unless(DEFAULT_FILE.outputLimitBytes, hardBytes, line)
}

function tlsLines(tls: TlsOptions): readonly (string | undefined)[] {
  if (!isDifferent(NO_TLS, tls)) return []
  return [
    `tls-port ${tls.port}`,
    `tls-replication ${yes(tls.replication)}`,
    text('tls-cert-file', tls.certFile),
    text('tls-key-file', tls.keyFile),
    text('tls-key-file-pass', tls.keyFilePass),
    text('tls-client-cert-file', tls.clientCertFile),
    text('tls-client-key-file', tls.clientKeyFile),
    text('tls-client-key-file-pass', tls.clientKeyFilePass),
    text('tls-ca-cert-file', tls.caCertFile),
    text('tls-ca-cert-dir', tls.caCertDir),
    `tls-auth-clients ${tls.authClients}`,
    text('tls-protocols', tls.protocols.join(' ')),
    text('tls-ciphers', tls.ciphers),
    text('tls-ciphersuites', tls.cipherSuites),
    `tls-prefer-server-ciphers ${yes(tls.preferServerCiphers)}`,
    text('tls-dh-params-file', tls.dhParamsFile),
  ]
}

function text(directive: string, value: string): string | undefined {
  return value === '' ? undefined : `${directive} ${quoted(utf8Bytes(value))}`
}

function unless(usual: unknown, value: unknown, line: string): string | undefined {
  return isDifferent(usual, value) ? line : undefined
}

function isDifferent(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b)
}

function yes(isOn: boolean): string {
  return isOn ? 'yes' : 'no'
}
