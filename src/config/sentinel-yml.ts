/**
 * sentinel.yml: the user's file, read and never written. All problems of a file are reported at
 * once, each with its line, because a person fixes files in one go.
 */

import { USERS_AND_ACL_FILE } from '../acl/user-lines.ts'
import { canonicalIp } from '../base/ip.ts'
import { utf8Bytes } from '../base/utf8.ts'
import { checkSentinelUsers } from '../core/access/access-start.ts'
import {
  DEFAULT_SENTINEL,
  type GroupConfig,
  MANY_GROUPS_HINT,
  MAX_GROUPS,
  type SentinelConfig,
  TOO_MANY_GROUPS,
} from '../core/config.ts'
import { GROUP_OPTION_ROWS, type GroupOptionValues, isPath } from '../core/group-options.ts'
import { type ConfOutside, NO_OUTSIDE } from './config-filesystem.ts'
import { groupNameFault } from './group-name.ts'
import type { HttpOptions } from './http-options.ts'
import { inFileOrder, type Location, type Problem, type ProblemCode } from './problem.ts'
import { type ProxyYml, proxyFaults, toProxy } from './proxy-file.ts'
import { YML_NAMES } from './sentinel-conf.ts'
import type { ParsedSentinelFile, SentinelFile } from './sentinel-file.ts'
import { type GroupYml, optionsAt, SENTINEL_YML, type SentinelYml } from './sentinel-schema.ts'
import { didYouMean } from './suggest.ts'
import type { TlsOptions } from './tls-options.ts'
import { toWebhooks } from './webhook-schema.ts'
import { withDefaults } from './yml-defaults.ts'
import { addressOf, readYml, type YmlDocument } from './yml-document.ts'
import type { IssueDetails } from './yml-values.ts'
import { literalWarnings, withValuesFrom } from './yml-variables.ts'
import type { z } from './zod.ts'

/** `text` is ordinary text (decoded UTF-8). `outside` answers questions about the machine. */
export function parseSentinelYml(
  text: string,
  fileName: string,
  outside: ConfOutside = NO_OUTSIDE,
): ParsedSentinelFile {
  const document = withDefaults(
    withValuesFrom(outside, readYml(text, fileName), fileName),
    fileName,
  )
  if (document.root === undefined) return refused(document.problems)
  if (groupNames(document.root).length > MAX_GROUPS) {
    const place = locate(['groups'], document)
    return refused([problem('E_RANGE', place, TOO_MANY_GROUPS, MANY_GROUPS_HINT, fileName)])
  }
  const parsed = SENTINEL_YML.safeParse(document.root)
  const problems = [
    ...document.problems,
    ...groupNameProblems(document, fileName),
    ...(parsed.error?.issues ?? []).flatMap((issue) => toProblems(issue, document, fileName)),
    ...(parsed.data === undefined ? [] : userProblems(parsed.data, document, fileName)),
    ...(parsed.data?.proxy === undefined
      ? []
      : proxyProblems(parsed.data.proxy, document, fileName)),
    ...(parsed.data === undefined ? [] : groupProblems(parsed.data, document, fileName, outside)),
  ]
  if (parsed.data === undefined || problems.length > 0) return refused(inFileOrder(problems))
  const warnings = literalWarnings(document, fileName)
  return { ok: true, value: toFile(parsed.data, document, fileName), warnings }
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
  const hint = users.some(([word]) => word === 'user') ? BEGINS_WITH_NAME : ''
  return [problem('E_VALUE', locate(['users'], document), fault, hint, file)]
}

/** A line of a sentinel.conf or an aclfile, copied, would be a user with the name `user`. */
const BEGINS_WITH_NAME =
  'begin with the name, without the word user: "alice on >secret ~* &* +@all"'

function proxyProblems(yml: ProxyYml, document: YmlDocument, file: string): Problem[] {
  return proxyFaults(toProxy(yml)).map(({ path, message, hint }) =>
    problem('E_VALUE', locate(['proxy', ...path], document), message, hint, file),
  )
}

/** Problems that cannot be seen from one value alone, or not from the file. */
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
    for (const [, row] of GROUP_OPTION_ROWS) {
      const path = String(group[row.yml])
      if (!isPath(row, path) || outside.isExecutable(path)) continue
      const hint = row.kind === 'hook' ? 'the path of a program, or an http or https URL' : ''
      const message = 'there is no program at this path'
      problems.push(problem('E_VALUE', at(row.yml), message, hint, file))
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
    : [problem('E_TYPE', place, 'must be a map of options', exampleOf(issue.path), file)]
}

/** What a group looks like, where one was to stand. */
function exampleOf([section, name]: readonly PropertyKey[]): string {
  if (section !== 'groups') return ''
  const group = `${String(name ?? 'mymaster')}: { master: "10.0.0.1:6379", quorum: 2 }`
  return name === undefined ? `groups: { ${group} }` : group
}

function unknownKey(path: readonly PropertyKey[], document: YmlDocument, file: string): Problem {
  const address = addressOf(path)
  const place = document.keys.get(address) ?? { line: 1, column: 1, path: address }
  const hint = nameInYml(path, optionsAt(path.slice(0, -1)))
  return problem('E_UNKNOWN', place, 'unknown option', hint, file)
}

/** For a name of sentinel.conf that is another one here. */
function nameInYml(path: readonly PropertyKey[], known: readonly string[]): string {
  const word = String(path.at(-1))
  const inTls = path.length === 1 && word.startsWith('tls-') ? word.slice('tls-'.length) : ''
  if (optionsAt(['tls']).includes(inTls)) return `write ${inTls} below tls:`
  const name = YML_NAMES.get(word) ?? ''
  if (known.includes(name)) return `in a sentinel.yml it is ${name}`
  return elsewhereInYml(path, name || word) || didYouMean(word, known)
}

/** For an option of a group at the top of the file, and the other way round. */
function elsewhereInYml(path: readonly PropertyKey[], word: string): string {
  const [section] = path
  const isInGroup = section === 'groups' && path.length === 3
  if (isInGroup && optionsAt([]).includes(word)) return 'it stands at the top of the file'
  const isOfGroups = path.length === 1 && optionsAt(['groups', '']).includes(word)
  return isOfGroups ? `write ${word} in a group, or below defaults: for all of them` : ''
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

/**
 * A missing option has no place of its own, so the problem is shown at the section that lacks it.
 */
function locate(path: readonly PropertyKey[], document: YmlDocument): Location {
  for (let length = path.length; length >= 0; length--) {
    const address = addressOf(path.slice(0, length))
    const key = length > 0 ? document.keys.get(address) : undefined
    const place = key ?? document.values.get(address)
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
    logFormat: yml['log-format'],
    bindSourceAddr: yml['bind-source-addr'],
    tls: toTls(yml.tls),
    http: toHttp(yml),
    blackBox: {
      isOn: yml['black-box'],
      maxBytes: yml['black-box-size'],
      maxDays: yml['black-box-days'],
    },
    aclFile: yml['acl-file'],
    daemonize: yml.daemonize,
    pidFile: yml['pid-file'],
    supervised: yml.supervised,
    outputLimitBytes: yml['output-limit'],
    webhooks: toWebhooks(yml.webhooks),
    proxy: yml.proxy === undefined ? undefined : toProxy(yml.proxy),
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
  const places = new Map([...document.keys.keys()].map((address, place) => [address, place]))
  const place = (name: string) => places.get(addressOf(['groups', name])) ?? -1
  return [...names].sort((a, b) => place(a) - place(b))
}

function toGroup(name: string, yml: GroupYml): GroupConfig {
  const { host, port } = yml.master
  const values = GROUP_OPTION_ROWS.map(([key, row]) => {
    const value = yml[row.yml]
    // The machine handles paths as bytes too: SENTINEL MASTER shows them.
    return [key, 'title' in row ? utf8Bytes(String(value)) : value]
  })
  return { name: utf8Bytes(name), host, port, ...(Object.fromEntries(values) as GroupOptionValues) }
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

function toHttp(yml: SentinelYml): HttpOptions {
  return {
    port: yml['http-port'],
    bind: yml['http-bind'],
    token: yml['http-token'],
    tokenFile: yml['http-token-file'],
    tls: yml['http-tls'],
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
