/**
 * sentinel.yml: the user's file, read and never written. All problems of a file are reported at once,
 * each with its line, because a person fixes files in one go.
 */
import type { z } from 'zod'
import { utf8Bytes } from '../base/utf8.ts'
import {
  DEFAULT_GROUP,
  DEFAULT_PERIODS,
  DEFAULT_SENTINEL,
  type GroupConfig,
  type SentinelConfig,
} from '../core/config.ts'
import { groupNameFault } from './group-name.ts'
import { inFileOrder, type Location, type Problem, type ProblemCode } from './problem.ts'
import { DEFAULT_FILE, type ParsedSentinelFile, type SentinelFile } from './sentinel-file.ts'
import { type GroupYml, optionsAt, SENTINEL_YML, type SentinelYml } from './sentinel-schema.ts'
import { didYouMean } from './suggest.ts'
import { addressOf, readYml, type YmlDocument } from './yml-document.ts'
import type { IssueDetails } from './yml-values.ts'

/** `text` is ordinary text (decoded UTF-8). */
export function parseSentinelYml(text: string, fileName: string): ParsedSentinelFile {
  const document = readYml(text, fileName)
  if (document.root === undefined) return { ok: false, problems: document.problems }
  const parsed = SENTINEL_YML.safeParse(document.root)
  const problems = [
    ...document.problems,
    ...groupNameProblems(document, fileName),
    ...(parsed.error?.issues ?? []).flatMap((issue) => toProblems(issue, document, fileName)),
  ]
  if (parsed.data === undefined || problems.length > 0) {
    return { ok: false, problems: inFileOrder(problems) }
  }
  return { ok: true, value: toFile(parsed.data, document, fileName), warnings: [] }
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
    tls: DEFAULT_FILE.tls,
    aclFile: DEFAULT_FILE.aclFile,
    daemonize: DEFAULT_FILE.daemonize,
    pidFile: DEFAULT_FILE.pidFile,
    supervised: DEFAULT_FILE.supervised,
    sentinels: yml.sentinels,
    learnt: undefined,
    locations: document.values,
  }
}

function toCore(yml: SentinelYml, document: YmlDocument): SentinelConfig {
  return {
    ...DEFAULT_SENTINEL,
    groups: inOrder(Object.keys(yml.groups), document).map((name) =>
      toGroup(name, yml.groups[name] as GroupYml),
    ),
    port: yml.port,
    announceIp: yml['announce-ip'],
    announcePort: yml['announce-port'],
    requirepass: yml.requirepass,
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
    ...DEFAULT_GROUP,
    name: utf8Bytes(name),
    host: yml.master.host,
    port: yml.master.port,
    quorum: yml.quorum,
    downAfterMs: yml['down-after'],
    failoverTimeoutMs: yml['failover-timeout'],
    parallelSyncs: yml['parallel-syncs'],
    authUser: yml['auth-user'],
    authPass: yml['auth-pass'],
  }
}

function toPeriods(yml: SentinelYml['periods']): SentinelConfig['periods'] {
  return {
    ...DEFAULT_PERIODS,
    infoMs: yml.info,
    pingMs: yml.ping,
    askMs: yml.ask,
    helloMs: yml.hello,
    tiltTriggerMs: yml['tilt-trigger'],
    tiltMs: yml.tilt,
    slaveReconfTimeoutMs: yml['slave-reconf-timeout'],
    minLinkReconnectMs: yml['min-link-reconnect'],
    electionTimeoutMs: yml['election-timeout'],
  }
}
