/** Looks at one program: logs in, reads what it says of itself, and tries the rights. Decides nothing. */
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { utf8Bytes } from '../../../base/utf8.ts'
import { reasonOf } from '../../../io/start-error.ts'
import { connect, type SentinelLogin, splitAddress } from '../../status/access.ts'
import { type Allowance, type Asking, printable, type ReplyValue } from '../../status/asking.ts'
import { parseInfo } from '../../status/info.ts'
import { firstAnswer } from '../../status/port-guess.ts'
import { readMasters, readOthers } from '../../status/shapes.ts'
import { addressOf, type InstanceFields } from '../../status/view.ts'
import { covers } from '../certificates.ts'
import {
  type CertificateSight,
  NOTHING_SEEN,
  OUT_OF_TIME,
  type SeenNode,
  type SeenProgram,
  type SeenSentinel,
} from './facts.ts'
import { PEER_RIGHTS, type Right, type RightTest, testRights } from './rights.ts'

/** What all looks of one run share. */
export interface Looking {
  readonly allowance: Allowance
  /** Connections that are open, so that the end of the time can close them. */
  readonly open: Set<Asking>
  readonly isOver: () => boolean
  /** The user that may read the settings, if those of the configuration may not. */
  readonly admin: { readonly user: string | undefined; readonly password: string } | undefined
}

export interface Target {
  readonly address: string
  readonly login: SentinelLogin
  /** The user we log in as; `default` without one. */
  readonly user: string
  readonly renamed: ReadonlyMap<string, string>
}

export async function lookAtNode(
  target: Target,
  namedBy: string,
  looking: Looking,
  rights: readonly Right[],
): Promise<SeenNode> {
  const { user } = target
  const facts = await lookAt(target, looking, rights, readNodeSettings)
  return { ...facts, user, namedBy }
}

export async function lookAtSentinel(
  target: Target,
  named: { readonly isOwn: boolean; readonly namedBy: string },
  looking: Looking,
): Promise<SeenSentinel> {
  const own = { myid: '', groups: [], peers: new Map(), replicas: new Map() }
  let told: Omit<SeenSentinel, keyof SeenProgram | 'isOwn' | 'namedBy' | 'user'> = own
  const facts = await lookAt(target, looking, PEER_RIGHTS, async (admin, client) => {
    told = await readView(admin, client)
    return await readSentinelSettings(admin)
  })
  return { ...facts, ...told, ...named, user: target.user }
}

type ReadSettings = (admin: Asking, client: Asking) => Promise<ReadonlyMap<string, string>>

async function lookAt(
  target: Target,
  looking: Looking,
  rights: readonly Right[],
  readSettings: ReadSettings,
): Promise<SeenProgram> {
  const { address, login } = target
  const nothing: SeenProgram = { ...NOTHING_SEEN, address }
  const certificate = await seeCertificate(address, login.tls, looking)
  const opened: Asking[] = []
  const enter = async (as: SentinelLogin): Promise<Asking> => {
    const client = connect(address, as, looking.allowance)
    opened.push(client)
    looking.open.add(client)
    if (looking.isOver()) client.disconnect()
    await client.open()
    return client
  }
  try {
    const client = await enter(login)
    const told = await readInfo(client)
    const { admin, refusal } = await asAdmin(client, login, looking, enter)
    // A peer needs no right to ask for INFO, but only INFO tells one process at two addresses from two.
    const isUntold = told.info.size === 0 && admin !== client
    const { info, clockMs } = isUntold ? await readInfo(admin) : told
    const settings = await settingsOf(() => readSettings(admin, client), refusal)
    const tests = await tryRights(target, rights, client, enter)
    return { ...nothing, certificate, info, clockMs, ...settings, rights: tests }
  } catch (error) {
    const failure = looking.isOver() ? OUT_OF_TIME : printable(utf8Bytes(reasonOf(error)))
    return { ...nothing, certificate, failure }
  } finally {
    for (const client of opened) {
      client.disconnect()
      looking.open.delete(client)
    }
  }
}

/** Where this user is not known, the settings are asked for as the configured one. */
async function asAdmin(
  client: Asking,
  login: SentinelLogin,
  { admin }: Looking,
  enter: (login: SentinelLogin) => Promise<Asking>,
): Promise<{ readonly admin: Asking; readonly refusal: string }> {
  if (admin === undefined) return { admin: client, refusal: '' }
  try {
    return { admin: await enter({ ...login, ...admin }), refusal: '' }
  } catch (error) {
    onlyRefusals(error)
    const refusal = `${admin.user ?? 'default'} is refused: ${reasonOf(error)}`
    return { admin: client, refusal }
  }
}

async function tryRights(
  { user, login, renamed }: Target,
  rights: readonly Right[],
  client: Asking,
  enter: (login: SentinelLogin) => Promise<Asking>,
): Promise<readonly RightTest[]> {
  return await testRights(rights, {
    user: utf8Bytes(user),
    renamed,
    call: (...words) => client.call(...words),
    separate: async () => {
      const other = await enter(login)
      return (...words) => other.call(...words)
    },
  })
}

/** INFO may be refused; then nothing is known of it, and the rights say why. */
async function readInfo(client: Asking) {
  const askedMs = Date.now()
  const text = await client.call('INFO').catch(onlyRefusals)
  const answeredMs = Date.now()
  const vedette = await client.call('INFO', 'vedette').catch(onlyRefusals)
  const info = parseInfo(`${text}\r\n${vedette}`)
  const theirsMs = Number(info.get('server_time_usec')) / 1_000
  const clockMs = theirsMs > 0 ? Math.round(theirsMs - (askedMs + answeredMs) / 2) : undefined
  return { info, clockMs }
}

/** A user may lack a right; without a login nothing at all is answered, and that is the failure to tell. */
function onlyRefusals(error: unknown): string {
  if (/^(?!NOAUTH )[A-Z]+ /.test(reasonOf(error))) return ''
  throw error
}

async function settingsOf(read: () => Promise<ReadonlyMap<string, string>>, adminRefusal: string) {
  try {
    return { settings: await read(), settingsRefusal: '' }
  } catch (error) {
    const reason = reasonOf(error)
    if (!/^[A-Z]+ /.test(reason)) throw error
    return { settings: undefined, settingsRefusal: adminRefusal || reason }
  }
}

/** What is compared or judged; one each, because servers before 7.0 take no more. */
const NODE_SETTINGS = [
  'min-replicas-to-write',
  'min-replicas-max-lag',
  'replica-announce-ip',
  'replica-announce-port',
  'replica-read-only',
  'replica-priority',
  'protected-mode',
  'requirepass',
  'masterauth',
  'masteruser',
  'maxmemory',
  'maxmemory-policy',
  'repl-backlog-size',
  'appendonly',
  'appendfsync',
  'save',
  'bind',
] as const

async function readNodeSettings(admin: Asking): Promise<ReadonlyMap<string, string>> {
  const answers = await Promise.all(NODE_SETTINGS.map((name) => admin.call('CONFIG', 'GET', name)))
  return new Map(answers.flatMap(pairsOf))
}

async function readSentinelSettings(admin: Asking): Promise<ReadonlyMap<string, string>> {
  return new Map(pairsOf(await admin.call('SENTINEL', 'CONFIG', 'GET', '*')))
}

function pairsOf(answer: ReplyValue): (readonly [string, string])[] {
  const words: readonly ReplyValue[] = Array.isArray(answer) ? answer : []
  return words.flatMap((word, at) =>
    at % 2 === 0 ? [[String(word), printable(String(words[at + 1] ?? ''))] as const] : [],
  )
}

/** The groups of a Sentinel, and which others it knows. A user for peers may not ask for them. */
async function readView(admin: Asking, client: Asking) {
  const myid = await client.call('SENTINEL', 'MYID').catch(onlyRefusals)
  const groups = readMasters(await admin.call('SENTINEL', 'MASTERS'))
  const peers = new Map<string, readonly string[]>()
  const replicas = new Map<string, readonly string[]>()
  for (const { name = '' } of groups) {
    const word = utf8Bytes(name)
    const [others, nodes] = await Promise.all([
      admin.call('SENTINEL', 'SENTINELS', word),
      admin.call('SENTINEL', 'SLAVES', word),
    ])
    peers.set(name, addresses(readOthers('SENTINEL SENTINELS', others)))
    replicas.set(name, addresses(readOthers('SENTINEL REPLICAS', nodes)))
  }
  return { myid: printable(String(myid)), groups, peers, replicas }
}

/** No group has more of either; a made-up list must not keep us busy. */
const MOST = 64

function addresses(instances: readonly InstanceFields[]): readonly string[] {
  return instances.map(addressOf).slice(0, MOST)
}

const HANDSHAKE_MS = 2_000

/** A handshake that accepts every certificate, to read it; the connections that follow do not. */
async function seeCertificate(
  address: string,
  tls: ConnectionOptions | undefined,
  { isOver }: Looking,
): Promise<CertificateSight | undefined> {
  if (tls === undefined || isOver()) return undefined
  const { host, port } = splitAddress(address)
  const socket = connectTls({ ...tls, host, port, rejectUnauthorized: false })
  // The connection that follows meets the same error, and tells it.
  return await firstAnswer<CertificateSight | undefined>(socket, HANDSHAKE_MS, (end) => {
    socket.once('secureConnect', () => end(sightOf(socket, host)))
  })
}

function sightOf(socket: TLSSocket, host: string): CertificateSight | undefined {
  const shown = socket.getPeerX509Certificate()
  if (shown === undefined) return undefined
  const names = printable(utf8Bytes(shown.subjectAltName ?? shown.subject ?? 'nobody'))
  return { validToMs: Date.parse(shown.validTo), coversHost: covers(shown, host), names }
}
