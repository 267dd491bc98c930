/**
 * What a configuration names on this machine: certificates, ACL files, secrets, addresses to bind to, the folder of
 * the state. `vedette check` looks for all of it; a start would end at the first that is missing.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import { isProxyAlone } from '../../config/check.ts'
import type { ConfLine } from '../../config/conf-lines.ts'
import type { HttpOptions } from '../../config/http-options.ts'
import type { Problem, ProblemCode } from '../../config/problem.ts'
import { isYml, locationOf, type SentinelFile, stateFileName } from '../../config/sentinel-file.ts'
import { NO_PORT, sharedPorts } from '../../config/shared-ports.ts'
import { certificatesUsedBy } from '../../config/tls-options.ts'
import { checkSentinelAclFile } from '../../core/access/access-start.ts'
import type { SavedState } from '../../core/persistence/saved.ts'
import { loadState, missingStateFolder } from '../../io/files/state-file.ts'
import { readAuthorities, readSecret } from '../../io/hooks/webhook-files.ts'
import { HttpToken } from '../../io/http/token.ts'
import { logFileFault } from '../../io/log/log-file.ts'
import { unusableBinds } from '../../io/network/listener.ts'
import { type ProcessMemory, processMemory } from '../../io/process/heap-meter.ts'
import { StartError } from '../../io/start-error.ts'
import { certificatesNodeUses, tlsOptionsOf } from '../../io/tls/node-tls.ts'
import { inFolder } from '../../io/tls/tls-paths.ts'
import { humanBytes } from '../../server/arguments/numbers.ts'
import { roomForEviction } from '../../server/memory/eviction.ts'
import { REFUSE_SHARE } from '../../server/memory/heap-guard.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { openAclFile } from '../daemon/acl-files.ts'
import { httpOptionsOf } from '../server/node-http.ts'
import { nodeUsers, type UserLines } from '../server/node-users.ts'
import { type CertificateQuestion, examineCertificates } from './certificates.ts'
import { aofProblems } from './node-aof.ts'
import { dumpProblems } from './node-dump.ts'
import { termProblems } from './node-term.ts'

/** Where a directive stands, by its name in redis.conf. */
export type Locate = (directive: string) => Pick<Problem, 'file' | 'line' | 'column' | 'path'>

/** What is wrong on this machine with a Sentinel's configuration, or a proxy's, which was read from `path`. */
export async function problemsOfSentinel(file: SentinelFile, path: string): Promise<Problem[]> {
  const locate = locateIn(file)
  const shared = [
    ...logProblems(homeOf(file, path), file.logFile, locate),
    ...certificateProblems(certificatesOf(file, path), locate),
    ...tokenProblems(httpInHome(file, path), locate),
    ...(await bindProblems(file.proxy?.bind ?? [], () => locate('proxy.bind'))),
  ]
  // It has no state, no users, and no port of a Sentinel.
  if (isProxyAlone(file)) return shared
  return [
    ...stateProblems(file, path, locate),
    ...shared,
    ...aclProblems(locate, () =>
      openAclFile(file.aclFile, homeOf(file, path), (found) =>
        checkSentinelAclFile(found, file.core),
      ),
    ),
    ...webhookProblems(file),
    ...(await bindProblems(file.listen.bind, locate)),
    ...(await sourceProblems(file.bindSourceAddr, locate)),
  ]
}

/** The same for a data node. */
export async function problemsOfNode(
  file: string,
  settings: Settings,
  users: UserLines,
  directives: readonly ConfLine[],
): Promise<Problem[]> {
  const locate: Locate = (name) => {
    const line = directives.find(({ directive }) => directive === name)
    return { file: line?.file ?? file, line: line?.line, column: line?.column, path: name }
  }
  const announced = [utf8Text(settings.text('replica-announce-ip'))].filter((text) => text !== '')
  const tls = tlsOptionsOf(settings)
  const usedBy = certificatesNodeUses(settings)
  return [
    ...portProblems(settings, locate),
    ...logProblems(utf8Text(settings.text('dir')), utf8Text(settings.text('logfile')), locate),
    ...certificateProblems({ tls, usedBy, nowMs: Date.now(), announced }, locate),
    ...tokenProblems(httpOptionsOf(settings), locate),
    ...aclProblems(locate, () => nodeUsers(users, settings)),
    ...(await bindProblems(settings.text('bind').split(' '), locate)),
    ...(await sourceProblems(settings.text('bind-source-addr'), locate)),
    ...memoryProblems(settings, locate),
    ...termProblems(settings, locate('sync-replication')),
    ...dumpProblems(settings, locate('dbfilename')),
    ...aofProblems(settings, locate('appendonly')),
  ]
}

/** Redis changes to `dir` before it opens any other file; a sentinel.yml does not. */
function homeOf({ stateDir }: SentinelFile, path: string): string {
  return stateDir === undefined || isYml(path) ? process.cwd() : resolve(stateDir)
}

export function certificatesOf(file: SentinelFile, path: string): CertificateQuestion {
  const { announceIp } = file.core
  const own = file.listen.bind.filter((address) => !/^-|[*]/.test(address))
  const announced = announceIp === '' ? own : [announceIp]
  const usedBy = certificatesUsedBy(file)
  return { tls: inFolder(file.tls, homeOf(file, path)), usedBy, nowMs: Date.now(), announced }
}

function httpInHome(file: SentinelFile, path: string): HttpOptions {
  const { tokenFile } = file.http
  if (tokenFile === '') return file.http
  return { ...file.http, tokenFile: resolve(homeOf(file, path), tokenFile) }
}

function portProblems(settings: Settings, locate: Locate): Problem[] {
  const [bind, httpBind] = (['bind', 'http-bind'] as const).map((name) =>
    settings
      .text(name)
      .split(' ')
      .filter((word) => word !== ''),
  )
  const ports = (['port', 'tls-port', 'http-port'] as const).map((option) => {
    const isOther = option === 'http-port' && httpBind?.length !== 0
    return { option, port: settings.int(option), bind: (isOther ? httpBind : bind) ?? [] }
  })
  const shared = sharedPorts(ports).map(({ option, message, hint }) =>
    problem(locate(option), 'E_DUPLICATE', message, hint),
  )
  if (!listensNowhere(settings)) return shared
  return [...shared, problem(locate('port'), 'E_RANGE', NO_PORT.message, NO_PORT.hint)]
}

function listensNowhere(settings: Settings): boolean {
  const ports = [settings.int('port'), settings.int('tls-port')]
  return ports.every((port) => port === 0) && settings.text('unixsocket') === ''
}

/** A problem names its options as the file does. */
function locateIn(file: SentinelFile): Locate {
  return (directive) => {
    const names = [directive.replace(/^tls-/, 'tls.'), YML_NAMES[directive] ?? directive, directive]
    const found = names.map((name) => file.locations.get(name)).find((place) => place !== undefined)
    const path = isYml(file.name) ? names[directive.startsWith('tls-') ? 0 : 1] : directive
    const place = found ?? { line: undefined, column: undefined, path: path ?? directive }
    return { file: file.name, ...place }
  }
}

const YML_NAMES: Readonly<Record<string, string>> = {
  ...{ dir: 'state-dir', aclfile: 'acl-file', logfile: 'log-file' },
}

function problem(
  place: ReturnType<Locate>,
  code: ProblemCode,
  message: string,
  hint: string,
): Problem {
  const severity = code.startsWith('W') ? 'warning' : 'error'
  return { severity, code, ...place, message, hint }
}

// The state

/** What the Sentinel has learnt, if it has run here; undefined: it has not, or its state cannot be read. */
export function savedState(file: SentinelFile, path: string): SavedState | undefined {
  try {
    return loadState(statePath(file, path)).saved
  } catch (error) {
    if (error instanceof StartError) return undefined
    throw error
  }
}

export function statePath(file: SentinelFile, path: string): string {
  return join(stateFolder(file, path), stateFileName(file))
}

function stateFolder({ stateDir }: SentinelFile, path: string): string {
  return resolve(stateDir ?? dirname(path))
}

function stateProblems(file: SentinelFile, path: string, locate: Locate): Problem[] {
  // A configuration from a pipe has no folder.
  if (path === '-' || path.startsWith('/dev/')) return []
  const place = locate('dir')
  const folder = stateFolder(file, path)
  const missing = missingStateFolder(folder)
  if (missing !== undefined)
    return [problem(place, 'E_STATE_FOLDER', missing.message, missing.hint)]
  try {
    loadState(statePath(file, path))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [problem(place, 'E_STATE_DAMAGED', error.message, error.hint)]
  }
  if (isWritable(folder)) return []
  const message = `the state folder ${folder} is not writable for this user`
  const hint = 'the user of the Sentinel must be able to write to it'
  return [problem(place, 'W_STATE_FOLDER', message, hint)]
}

/** What is missing is missing for the user of the service, too; that one may have the right to write which this one lacks. */
function logProblems(home: string, name: string, locate: Locate): Problem[] {
  const fault = name === '' ? undefined : logFileFault(resolve(home, name))
  if (fault === undefined) return []
  const isDenied = /: E(?:ACCES|PERM|ROFS)$/.test(fault.message)
  const code = isDenied ? 'W_LOG_FILE' : 'E_LOG_FILE'
  return [problem(locate('logfile'), code, fault.message, fault.hint)]
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Secrets

/** A Sentinel that cannot read them does not start. */
function webhookProblems(file: SentinelFile): Problem[] {
  return file.webhooks.flatMap((webhook, at) => {
    const place = (option: string) => {
      return { file: file.name, ...locationOf(file, `webhooks.${at}.${option}`) }
    }
    const { kind, value } = { value: '', ...webhook.secret }
    const option = kind === 'text' ? 'secret' : `secret-${kind}`
    return [
      ...startProblem(place(option), 'E_WEBHOOK', () => readSecret(webhook)),
      ...(kind === 'file' ? openToAll(place(option), value) : []),
      ...startProblem(place('ca-file'), 'E_WEBHOOK', () => readAuthorities(webhook)),
      ...caWithoutTls(place('ca-file'), webhook),
    ]
  })
}

function caWithoutTls(
  place: ReturnType<Locate>,
  { url, caFile }: SentinelFile['webhooks'][number],
): Problem[] {
  if (caFile === '' || url.toLowerCase().startsWith('https:')) return []
  const text = 'has no effect: the url is not https, so there is no certificate to check'
  return [problem(place, 'W_NO_EFFECT', text, 'use https, or leave it out')]
}

/** Looked at only if there is HTTP at all: otherwise no token is read. */
function tokenProblems(http: HttpOptions, locate: Locate): Problem[] {
  if (http.port === 0) return []
  const place = locate(http.tokenFile === '' ? 'http-token' : 'http-token-file')
  const found = startProblem(place, 'E_HTTP', () => new HttpToken(http))
  return [...found, ...(http.tokenFile === '' ? [] : openToAll(place, http.tokenFile))]
}

function startProblem(
  place: ReturnType<Locate>,
  code: ProblemCode,
  open: () => unknown,
): Problem[] {
  try {
    open()
    return []
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [problem(place, code, error.message, error.hint)]
  }
}

const READ_BY_OTHERS = 0o004

function openToAll(place: ReturnType<Locate>, path: string): Problem[] {
  // One that is missing has been told already.
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & READ_BY_OTHERS) === 0) return []
  const text = `${path}: every user of this machine may read the secret`
  return [problem(place, 'W_SECRET_FILE', text, `chmod o-rwx ${path}`)]
}

// Certificates, users, addresses

function certificateProblems(question: CertificateQuestion, locate: Locate): Problem[] {
  return examineCertificates(question).flatMap(({ severity, directive, text, hint }) => {
    if (severity === 'ok') return []
    return [problem(locate(directive), severity === 'error' ? 'E_TLS' : 'W_TLS', text, hint)]
  })
}

/** How Redis introduces what ends its start. */
const STARTING = 'Aborting Redis startup because of ACL errors: '

function aclProblems(locate: Locate, open: () => unknown): Problem[] {
  try {
    open()
    return []
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const message = error.message.replace(STARTING, '')
    return [problem(locate('aclfile'), 'E_ACL_FILE', message, error.hint)]
  }
}

async function bindProblems(addresses: readonly string[], locate: Locate): Promise<Problem[]> {
  const unusable = await unusableBinds(addresses.filter((address) => address !== ''))
  return unusable.map(({ address, reason }) => {
    const hint =
      'bind to an address of this machine, to * for all, or put - before it if it may be missing'
    return problem(locate('bind'), 'E_BIND', `${address}: ${reason}`, hint)
  })
}

async function sourceProblems(address: string, locate: Locate): Promise<Problem[]> {
  const [unusable] = await unusableBinds(address === '' ? [] : [address])
  if (unusable === undefined) return []
  const message = `${address}: ${unusable.reason}, so no connection can be opened`
  const hint = 'name an address of this machine, or leave it out'
  return [problem(locate('bind-source-addr'), 'E_BIND', message, hint)]
}

/**
 * What becomes of `maxmemory`, or of its absence, in a process that is started where `vedette check` runs: its
 * heap ends where Node says, and a container may end it before.
 */

/** Where a directive stands. */
type Place = (directive: string) => Pick<Problem, 'file' | 'line' | 'column' | 'path'>

const LARGER_HEAP = 'start it with NODE_OPTIONS=--max-old-space-size=<MB>'

export function memoryProblems(
  settings: Settings,
  locate: Place,
  { heapBytes, containerBytes }: ProcessMemory = processMemory(),
): Problem[] {
  const limit = settings.int('maxmemory')
  const policy = settings.text('maxmemory-policy')
  const evicts = policy !== 'noeviction'
  const warning = (
    directive: string,
    code: ProblemCode,
    message: string,
    hint: string,
  ): Problem => {
    return { severity: 'warning', code, ...locate(directive), message, hint }
  }
  const refusedFrom = humanBytes(Math.floor(heapBytes * REFUSE_SHARE))
  if (limit === 0 && evicts) {
    const message = `${policy} without maxmemory: no key is ever evicted`
    const hint = `set maxmemory; a process started here has room for ${humanBytes(roomForEviction(heapBytes))}`
    return [warning('maxmemory-policy', 'W_NEVER_EVICTS', message, hint)]
  }
  if (limit === 0 && containerBytes !== undefined) {
    const message =
      `no maxmemory in a container of ${humanBytes(containerBytes)}: writes are refused (-OOM) when ` +
      `${refusedFrom} of the heap are in use`
    const hint = `set maxmemory below that, with a policy, or ${LARGER_HEAP}`
    return [warning('maxmemory', 'W_CONTAINER_LIMIT', message, hint)]
  }
  const room = evicts ? roomForEviction(heapBytes) : Math.floor(heapBytes * REFUSE_SHARE)
  if (limit <= room) return []
  const then = evicts
    ? `keys are evicted from ${humanBytes(room)} on`
    : `writes are refused (-OOM) from ${refusedFrom} on`
  const message = `${humanBytes(limit)} is more than the heap of a process started here can hold: ${then}`
  return [warning('maxmemory', 'W_MAXMEMORY_ABOVE_HEAP', message, LARGER_HEAP)]
}
