/**
 * `vedette check --deep`: before a fleet goes live, everything that a failover will need is tried: every
 * node and Sentinel is asked, as the configured users, with the configured certificates. What is found is
 * judged when all have been asked. Nothing is changed anywhere.
 */

import type { ConnectionOptions } from 'node:tls'
import { hostAndPort } from '../../../base/ip.ts'
import { utf8Text } from '../../../base/utf8.ts'
import type { SentinelFile } from '../../../config/sentinel-file.ts'
import type { TlsOptions } from '../../../config/tls-options.ts'
import { DEFAULT_GROUP, type GroupConfig } from '../../../core/config.ts'
import { votersIn } from '../../../core/failover/voters.ts'
import { StartError } from '../../../io/start-error.ts'
import { tlsOptionsOf } from '../../../io/tls/node-tls.ts'
import { createTlsContexts } from '../../../io/tls/tls-contexts.ts'
import type { Settings } from '../../../server/settings/settings.ts'
import { allowanceOfOneRun, type SentinelLogin } from '../../status/access.ts'
import { StatusLine } from '../../status-line.ts'
import { examineCertificates } from '../certificates.ts'
import type { CheckedFile } from '../check-file.ts'
import { certificatesOf } from '../machine.ts'
import { type DeepReport, fileFindings } from './deep-text.ts'
import { isReached, type SeenNode } from './facts.ts'
import { type DeepFinding, speakOf } from './finding.ts'
import { judgeGroup, roleOf } from './judge-group.ts'
import { judgeProgram } from './judge-program.ts'
import { judgeSentinels } from './judge-sentinels.ts'
import { votersToldBy } from './judge-voters.ts'
import { type Looking, lookAtNode, lookAtSentinel, type Target } from './look.ts'
import { NODE_RIGHTS, REPLICA_RIGHTS, STRICT_NODE_RIGHTS } from './rights.ts'
import { masterNamedBy, type Named, searchNodes, searchSentinels } from './search.ts'

export interface DeepOptions {
  /** Milliseconds for all of it. */
  readonly timeout: number
  /** The user that may read settings, if those of the configuration may not. */
  readonly user?: string
  readonly pass?: string
}

export async function checkDeep(
  path: string,
  { problems, sentinel, node }: CheckedFile,
  options: DeepOptions,
): Promise<DeepReport> {
  const startedMs = performance.now()
  const told = fileFindings(path, problems)
  const session = new Session(options)
  try {
    const found = await lookAround(path, session, sentinel, node)
    const tookMs = Math.round(performance.now() - startedMs)
    return { file: path, findings: [...told, ...found], isComplete: !session.isOver, tookMs }
  } finally {
    session.end()
  }
}

async function lookAround(
  path: string,
  session: Session,
  sentinel: SentinelFile | undefined,
  node: Settings | undefined,
): Promise<readonly DeepFinding[]> {
  try {
    if (sentinel !== undefined) return await deepSentinel(path, sentinel, session)
    if (node !== undefined) return await deepNode(node, session)
    return [notAsked('the file has errors')]
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    // The file's own problems name the certificate already.
    return [notAsked(error.message)]
  }
}

function notAsked(why: string): DeepFinding {
  return speakOf('network', '').warning(`nothing was asked: ${why}`, 'fix that first')
}

/** The time, the connections and the progress of one run. */
class Session {
  readonly allowance = allowanceOfOneRun()
  readonly open: Looking['open'] = new Set()
  readonly admin: Looking['admin']
  readonly nowMs = Date.now()
  readonly #line = new StatusLine()
  readonly #timer: NodeJS.Timeout
  #asked = 0
  #isOver = false

  constructor({ timeout, user, pass = process.env.REDISCLI_AUTH }: DeepOptions) {
    this.admin = pass === undefined ? undefined : { user, password: pass }
    this.#timer = setTimeout(() => {
      this.#isOver = true
      for (const client of this.open) client.disconnect()
    }, timeout)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#line.clear()
  }

  /** Counts and shows what is asked. */
  show(address: string): void {
    this.#asked++
    this.#line.show(`asking ${address} (${this.#asked})`)
  }
}

// A Sentinel's file

async function deepSentinel(
  path: string,
  file: SentinelFile,
  session: Session,
): Promise<readonly DeepFinding[]> {
  const question = certificatesOf(file, path)
  const certificates = examineCertificates(question).flatMap(({ severity, directive, text }) =>
    severity === 'ok' ? [speakOf('certificates', directive).passed(text)] : [],
  )
  const tls = file.tls.replication ? openingTls(question.tls) : undefined
  const sentinels = await findSentinels(file, session, tls)
  const masters = new Map(
    file.core.groups.map((group) => {
      const learnt = learntOf(file, group.name)?.current ?? group
      const usual = hostAndPort(learnt.host, String(learnt.port))
      return [group.name, masterNamedBy(sentinels, group.name) ?? usual] as const
    }),
  )
  const groups: DeepFinding[] = []
  for (const group of file.core.groups) {
    const nodes = await findNodes(group, { file, sentinels, session, tls })
    const now = nodes.find((node) => isReached(node) && roleOf(node) === 'master')?.address
    if (now !== undefined && !sentinels.some(isReached)) masters.set(group.name, now)
    groups.push(...judgeGroup({ group, nodes, nowMs: session.nowMs }))
  }
  const scene = {
    ...{ groups: file.core.groups, sentinels, masters, planned: file.sentinels },
    ...{ source: peerLogin(file).source, nowMs: session.nowMs },
    announced: utf8Text(file.core.announceIp),
  }
  return [...certificates, ...groups, ...judgeSentinels(scene)]
}

/** As this program opens connections. Throws a StartError if the certificates cannot be used. */
function openingTls(options: TlsOptions): ConnectionOptions {
  const { opening } = createTlsContexts(options, Date.now())
  return { secureContext: opening, checkServerIdentity: () => undefined }
}

function learntOf({ learnt }: SentinelFile, group: string) {
  return learnt?.groups.find(({ current }) => current.name === group)
}

async function findSentinels(
  file: SentinelFile,
  session: Session,
  tls: ConnectionOptions | undefined,
) {
  const { user, password } = peerLogin(file)
  const own = ownAddress(file)
  const learnt = file.learnt?.groups.flatMap(({ peers }) => peers) ?? []
  const first = [
    { address: own, by: file.name },
    ...learnt.map(({ host, port }) => ({
      address: hostAndPort(host, String(port)),
      by: file.name,
    })),
  ]
  const look = ({ address, by }: Named) => {
    session.show(address)
    const target = targetOf(address, { user, password, tls })
    return lookAtSentinel(target, { isOwn: address === own, namedBy: by }, looking(session))
  }
  return await searchSentinels(first, look, new Set(file.core.groups.map(({ name }) => name)))
}

function looking(session: Session): Looking {
  const { allowance, open, admin } = session
  return { allowance, open, admin, isOver: () => session.isOver }
}

/** As core/links/credentials.ts has it. */
function peerLogin({ core }: SentinelFile) {
  const { sentinelUser, sentinelPass, requirepass } = core
  if (sentinelPass === '' && requirepass !== '') {
    return { user: undefined, password: utf8Text(requirepass), source: 'requirepass' }
  }
  const source = sentinelUser === '' ? 'sentinel-pass' : 'sentinel-user and sentinel-pass'
  return { ...loginOf(sentinelUser, sentinelPass), source }
}

/** A user without a password is not sent at all. */
function loginOf(user: string, pass: string) {
  if (pass === '') return { user: undefined, password: undefined }
  return { user: user === '' ? undefined : utf8Text(user), password: utf8Text(pass) }
}

function targetOf(
  address: string,
  login: SentinelLogin,
  renamed: Target['renamed'] = new Map(),
): Target {
  return { address, login, user: login.user ?? 'default', renamed }
}

/** Where this Sentinel listens, seen from this machine. */
function ownAddress({ listen, tls }: SentinelFile): string {
  const port = tls.replication && tls.port !== 0 ? tls.port : listen.port
  return localAddress(listen.bind, port)
}

function localAddress(bind: readonly string[], port: number): string {
  const host = bind.find((address) => address !== '' && !/^-|[*]|^0\.0\.0\.0$|^::$/.test(address))
  return hostAndPort(host ?? '127.0.0.1', String(port))
}

interface NodeSearch {
  readonly file: SentinelFile
  readonly sentinels: Awaited<ReturnType<typeof findSentinels>>
  readonly session: Session
  readonly tls: ConnectionOptions | undefined
}

async function findNodes(
  group: GroupConfig,
  { file, sentinels, session, tls }: NodeSearch,
): Promise<readonly SeenNode[]> {
  const { name } = group
  const learnt = learntOf(file, name)
  const known = learnt === undefined ? [] : [learnt.current, ...learnt.replicas]
  const told = sentinels.flatMap(({ address, replicas }) =>
    (replicas.get(name) ?? []).map((node) => ({ address: node, by: `Sentinel ${address}` })),
  )
  const master = masterNamedBy(sentinels, name)
  const first = [
    { address: hostAndPort(group.host, String(group.port)), by: file.name },
    ...(master === undefined ? [] : [{ address: master, by: 'the Sentinels' }]),
    ...known.map(({ host, port }) => ({ address: hostAndPort(host, String(port)), by: file.name })),
    ...votersIn(group).map(({ host, port }) => ({
      address: hostAndPort(host, String(port)),
      by: file.name,
    })),
    ...told,
  ]
  const rights = group.replication === 'strict' ? STRICT_NODE_RIGHTS : NODE_RIGHTS
  const renamed = new Map(group.renamedCommands)
  const login = { ...loginOf(group.authUser, group.authPass), tls }
  return await searchNodes(first, ({ address, by }) => {
    session.show(address)
    return lookAtNode(targetOf(address, login, renamed), by, looking(session), rights)
  })
}

// A data node's file

const NODE_GROUP = { ...DEFAULT_GROUP, name: 'of this node' }

async function deepNode(settings: Settings, session: Session): Promise<readonly DeepFinding[]> {
  const options = tlsOptionsOf(settings)
  const contexts = examineCertificates({
    ...{ tls: options, usedBy: undefined, nowMs: session.nowMs, announced: [] },
  })
  const certificates = contexts.flatMap(({ severity, directive, text }) =>
    severity === 'ok' ? [speakOf('certificates', directive).passed(text)] : [],
  )
  const ownTls = settings.int('port') === 0 ? openingTls(options) : undefined
  const port = settings.int('port') || options.port
  const own = localAddress(settings.text('bind').split(' '), port)
  const login = { ...loginOf('', settings.text('requirepass')), tls: ownTls }
  const nodes = await searchNodes([{ address: own, by: 'redis.conf' }], ({ address, by }) => {
    session.show(address)
    return lookAtNode(targetOf(address, login), by, looking(session), [])
  })
  const master = await lookAtMaster(settings, options, session)
  const [first] = nodes
  if (first !== undefined && /^ECONNREFUSED/.test(first.failure ?? '')) {
    const text = 'it does not run yet, so its answers are not compared'
    const speak = speakOf('this node', own)
    return [...certificates, speak.warning(text, 'start it and run this again'), ...master]
  }
  const group = { ...NODE_GROUP, ...votersToldBy(nodes, settings.flag('sync-replication')) }
  const judged = judgeGroup({ group, nodes, nowMs: session.nowMs })
  return [...certificates, ...judged, ...master]
}

/** [replicaof] The master, as the replication of this node will log in to it. */
async function lookAtMaster(
  settings: Settings,
  options: TlsOptions,
  session: Session,
): Promise<readonly DeepFinding[]> {
  const [host = '', port = ''] = settings.text('replicaof').split(' ')
  if (host === '' || host === 'no') return []
  const tls = options.replication ? openingTls(options) : undefined
  const login = { ...loginOf(settings.text('masteruser'), settings.text('masterauth')), tls }
  const target = targetOf(hostAndPort(host, port), login)
  session.show(target.address)
  const facts = await lookAtNode(target, 'replicaof', looking(session), REPLICA_RIGHTS)
  const place = {
    ...{ area: 'replication', where: `master ${target.address}`, user: target.user },
    ...{ source: 'masteruser and masterauth', nowMs: session.nowMs },
  }
  return judgeProgram(facts, place)
}
