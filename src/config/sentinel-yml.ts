/**
 * sentinel.yml: the user's file, read and never written. All problems of a file are reported at once,
 * each with its line, because a person fixes files in one go.
 */
import type { z } from 'zod'
import { USERS_AND_ACL_FILE } from '../acl/user-lines.ts'
import { canonicalIp } from '../base/ip.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { checkSentinelUsers } from '../core/access/access-start.ts'
import { DEFAULT_SENTINEL, type GroupConfig, type SentinelConfig } from '../core/config.ts'
import { type ConfOutside, NO_OUTSIDE } from './conf-outside.ts'
import { groupNameFault } from './group-name.ts'
import { inFileOrder, type Location, type Problem, type ProblemCode } from './problem.ts'
import type { ParsedSentinelFile, SentinelFile } from './sentinel-file.ts'
import { type GroupYml, optionsAt, SENTINEL_YML, type SentinelYml } from './sentinel-schema.ts'
import { didYouMean } from './suggest.ts'
import type { TlsOptions } from './tls-options.ts'
import { addressOf, readYml, type YmlDocument } from './yml-document.ts'
import type { IssueDetails } from './yml-values.ts'

/** `text` is ordinary text (decoded UTF-8). What depends on the machine is asked of `outside`. */
export function parseSentinelYml(
  text: string,
  fileName: string,
  outside: ConfOutside = NO_OUTSIDE,
): ParsedSentinelFile {
  const document = readYml(text, fileName)
  if (document.root === undefined) return refused(document.problems)
  const parsed = SENTINEL_YML.safeParse(document.root)
  const problems = [
    ...document.problems,
    ...groupNameProblems(document, fileName),
    ...(parsed.error?.issues ?? []).flatMap((issue) => toProblems(issue, document, fileName)),
    ...(parsed.data === undefined ? [] : userProblems(parsed.data, document, fileName)),
    ...(parsed.data === undefined ? [] : groupProblems(parsed.data, document, fileName, outside)),
  ]
  if (parsed.data === undefined || problems.length > 0) return refused(inFileOrder(problems))
  return { ok: true, value: toFile(parsed.data, document, fileName), warnings: [] }
}

function refused(problems: readonly Problem[]): ParsedSentinelFile {
  return { ok: false, problems, fatal: undefined }
}

function userProblems(yml: SentinelYml, document: YmlDocument, file: string): Problem[] {
  const { users, 'acl-pubsub-default': aclPubsubDefault, 'acl-file': aclFile } = yml
  const fault =
    users.length > 0 && aclFile !== ''
      ? USERS_AND_ACL_FILE
      : checkSentinelUsers(users, { aclPubsubDefault })
  if (fault === undefined) return []
  return [problem('E_VALUE', locate(['users'], document), fault, '', file)]
}

/** What cannot be seen from one value alone, or not from the file. */
function groupProblems(
  yml: SentinelYml,
  document: YmlDocument,
  file: string,
  outside: ConfOutside,
): Problem[] {
  return Object.entries(yml.groups).flatMap(([name, group]) => {
    const at = (option: string) => locate(['groups', name, option], document)
    const problems: Problem[] = []
    if (!yml['resolve-hostnames'] && canonicalIp(group.master.host) === undefined) {
      const message = `${JSON.stringify(group.master.host)} is no IP address`
      const hint = 'a numeric IPv4 or IPv6 address, or a name with resolve-hostnames: yes'
      problems.push(problem('E_VALUE', masterHostPlace(name, document), message, hint, file))
    }
    for (const option of ['notification-script', 'client-reconfig-script'] as const) {
      if (group[option] === '' || outside.isExecutable(group[option])) continue
      problems.push(problem('E_VALUE', at(option), 'there is no program at this path', '', file))
    }
    return problems
  })
}

function masterHostPlace(name: string, document: YmlDocument): Location {
  const path = ['groups', name, 'master', 'host']
  return locate(document.values.has(addressOf(path)) ? path : path.slice(0, -1), document)
}

function toProblems(issue: z.core.$ZodIssue, document: YmlDocument, file: string): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...issue.path, key], document, file))
  }
  const place = locate(issue.path, document)
  if (issue.code === 'custom') {
    const { fault, hint } = issue.params as IssueDetails
    return [problem(fault, place, issue.message, hint, file)]
  }
  const isMissing = issue.path.length > 0 && !document.keys.has(addressOf(issue.path))
  return isMissing
    ? [problem('E_MISSING', place, 'is required', '', file)]
    : [problem('E_TYPE', place, 'must be a map of options', '', file)]
}

function unknownKey(path: readonly PropertyKey[], document: YmlDocument, file: string): Problem {
  const address = addressOf(path)
  const place = document.keys.get(address) ?? { line: 1, column: 1, path: address }
  const hint = didYouMean(String(path.at(-1)), optionsAt(path.slice(0, -1)))
  return problem('E_UNKNOWN', place, 'unknown option', hint, file)
}

function groupNameProblems(document: YmlDocument, file: string): Problem[] {
  return groupNames(document.root).flatMap((name) => {
    const fault = groupNameFault(name)
    const place = document.keys.get(addressOf(['groups', name]))
    return fault === undefined || place === undefined
      ? []
      : [problem('E_VALUE', place, fault, 'letters, digits and .-_ are safe', file)]
  })
}

function groupNames(root: unknown): string[] {
  const groups = (root as { readonly groups?: unknown } | null)?.groups
  return typeof groups === 'object' && groups !== null ? Object.keys(groups) : []
}

/** What is missing has no place of its own: then it is that of what it is missing from. */
function locate(path: readonly PropertyKey[], document: YmlDocument): Location {
  for (let length = path.length; length >= 0; length--) {
    const address = addressOf(path.slice(0, length))
    const place = (length > 0 ? document.keys : document.values).get(address)
    const exact = length === path.length ? document.values.get(address) : undefined
    const found = exact ?? place
    if (found !== undefined) return { ...found, path: addressOf(path) }
  }
  return { line: 1, column: 1, path: addressOf(path) }
}

function problem(
  code: ProblemCode,
  place: Location,
  message: string,
  hint: string,
  file: string,
): Problem {
  return { severity: 'error', code, file, ...place, message, hint }
}

function toFile(yml: SentinelYml, document: YmlDocument, name: string): SentinelFile {
  return {
    name,
    core: toCore(yml, document),
    listen: { bind: yml.bind, port: yml.port, protectedMode: yml['protected-mode'] },
    stateDir: yml['state-dir'],
    stateFile: yml['state-file'],
    logLevel: yml['log-level'],
    logFile: yml['log-file'],
    bindSourceAddr: yml['bind-source-addr'],
    tls: toTls(yml.tls),
    aclFile: yml['acl-file'],
    daemonize: yml.daemonize,
    pidFile: yml['pid-file'],
    supervised: yml.supervised,
    outputLimitBytes: yml['output-limit'],
    sentinels: yml.sentinels,
    learnt: undefined,
    locations: document.values,
  }
}

function toCore(yml: SentinelYml, document: YmlDocument): SentinelConfig {
  return {
    groups: inOrder(Object.keys(yml.groups), document).map((name) =>
      toGroup(name, yml.groups[name] as GroupYml),
    ),
    port: yml.port,
    tlsPort: yml.tls.port,
    tlsReplication: yml.tls.replication,
    protectedMode: yml['protected-mode'],
    announceIp: yml['announce-ip'],
    announcePort: yml['announce-port'],
    resolveHostnames: yml['resolve-hostnames'],
    announceHostnames: yml['announce-hostnames'],
    logLevel: yml['log-level'],
    requirepass: yml.requirepass,
    users: yml.users,
    aclPubsubDefault: yml['acl-pubsub-default'],
    aclLogMaxLength: yml['acl-log-max-len'],
    ownRenamedCommands: yml['rename-commands'],
    denyScriptsReconfig: yml['deny-scripts-reconfig'],
    defaultDetection: DEFAULT_SENTINEL.defaultDetection,
    sentinelUser: yml['sentinel-user'],
    sentinelPass: yml['sentinel-pass'],
    maxClients: yml.maxclients,
    periods: toPeriods(yml.periods),
  }
}

/** The order of the file: JavaScript puts names that look like numbers first. */
function inOrder(names: readonly string[], document: YmlDocument): string[] {
  const addresses = [...document.keys.keys()]
  const place = (name: string) => addresses.indexOf(addressOf(['groups', name]))
  return [...names].sort((a, b) => place(a) - place(b))
}

function toGroup(name: string, yml: GroupYml): GroupConfig {
  return {
    name: utf8Bytes(name),
    host: yml.master.host,
    port: yml.master.port,
    quorum: yml.quorum,
    downAfterMs: yml['down-after'],
    failoverTimeoutMs: yml['failover-timeout'],
    parallelSyncs: yml['parallel-syncs'],
    authUser: yml['auth-user'],
    authPass: yml['auth-pass'],
    // Paths go to the machine as bytes too: SENTINEL MASTER shows them.
    notificationScript: utf8Bytes(yml['notification-script']),
    clientReconfigScript: utf8Bytes(yml['client-reconfig-script']),
    renamedCommands: yml['rename-commands'],
    rebootDownAfterMs: yml['reboot-down-after'],
    detection: yml.detection,
    refusedAfterMs: yml['refused-after'],
    grayAfterMs: yml['gray-after'],
  }
}

function toPeriods(yml: SentinelYml['periods']): SentinelConfig['periods'] {
  return {
    infoMs: yml.info,
    pingMs: yml.ping,
    askMs: yml.ask,
    helloMs: yml.hello,
    tiltTriggerMs: yml['tilt-trigger'],
    tiltMs: yml.tilt,
    slaveReconfTimeoutMs: yml['slave-reconf-timeout'],
    minLinkReconnectMs: yml['min-link-reconnect'],
    electionTimeoutMs: yml['election-timeout'],
    defaultDownAfterMs: yml['default-down-after'],
    defaultFailoverTimeoutMs: yml['default-failover-timeout'],
    scriptMaxRuntimeMs: yml['script-max-runtime'],
    scriptRetryDelayMs: yml['script-retry-delay'],
  }
}

function toTls(yml: SentinelYml['tls']): TlsOptions {
  return {
    port: yml.port,
    replication: yml.replication,
    certFile: yml['cert-file'],
    keyFile: yml['key-file'],
    keyFilePass: yml['key-file-pass'],
    clientCertFile: yml['client-cert-file'],
    clientKeyFile: yml['client-key-file'],
    clientKeyFilePass: yml['client-key-file-pass'],
    caCertFile: yml['ca-cert-file'],
    caCertDir: yml['ca-cert-dir'],
    authClients: yml['auth-clients'],
    protocols: yml.protocols,
    ciphers: yml.ciphers,
    cipherSuites: yml.ciphersuites,
    preferServerCiphers: yml['prefer-server-ciphers'],
    dhParamsFile: yml['dh-params-file'],
  }
}
