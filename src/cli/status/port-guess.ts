/**
 * Why a port does not talk to us: the commonest reason is TLS on one side only. A failed connection is
 * followed by one that tries the other way, and the error then names the option to add or to leave out.
 */
import { connect as connectPlain, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { reasonOf } from '../../io/start-error.ts'
import { tlsReasonOf } from '../../io/tls/tls-reasons.ts'

/** An address, and how we spoke TLS to it; undefined: not at all. */
export interface TriedPort {
  readonly host: string
  readonly port: number
  readonly tls: Pick<ConnectionOptions, 'ca' | 'cert'> | undefined
}

/** One attempt; the connection that failed has taken its time already. */
const GUESS_MS = 1_000

/** The kernel says these before any byte was sent: the other way would be refused as well. */
const UNREACHABLE = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EACCES)$/
/** A plain server takes the handshake for the beginning of a command, and waits for the rest. */
const SILENT = 'ETIMEDOUT'

/** The error itself if nothing more can be said. Never rejects. */
export async function explainFailure(error: Error, tried: TriedPort): Promise<Error> {
  const reason = reasonOf(error)
  if (UNREACHABLE.test(reason) || (reason === SILENT && tried.tls === undefined)) return error
  const { tls } = tried
  const hint = tls ? await hintWithTls(reason, tried, tls) : await hintWithout(tried)
  return hint === undefined
    ? error
    : new Error(`${reason === SILENT ? 'no TLS handshake' : reason}: ${hint}`)
}

async function hintWithout(tried: TriedPort): Promise<string | undefined> {
  if (!(await speaksTls(tried))) return undefined
  return 'this port speaks TLS; add --tls and --cacert FILE (the authority), and --cert and --key if it wants a certificate'
}

const UNKNOWN_AUTHORITY = /unknown authority|self-signed|CERT_UNTRUSTED/

/** What to add, or to change if it was there. */
function authorityHint({ ca }: ShownFiles): string {
  if (ca !== undefined) return 'the file of --cacert has not the authority that has signed it'
  return 'add --cacert FILE with the authority that has signed its certificate'
}

const HINTS: readonly (readonly [reason: RegExp, hint: string])[] = [
  [/wants a certificate of ours/, 'add --cert FILE and --key FILE that its authority has signed'],
  [
    /says that our certificate|of our certificate|not accept our certificate/,
    'show it a valid one that its authority has signed',
  ],
  [/^certificate (has expired|is not valid yet)$/, 'renew it there, or set the clock of one of us'],
]

type ShownFiles = NonNullable<TriedPort['tls']>

async function hintWithTls(
  reason: string,
  tried: TriedPort,
  files: ShownFiles,
): Promise<string | undefined> {
  if (UNKNOWN_AUTHORITY.test(reason)) return authorityHint(files)
  const known = HINTS.find(([words]) => words.test(reason))
  if (known !== undefined) return known[1]
  if (await speaksRedis(tried))
    return 'this port speaks no TLS; leave out --tls, --cacert and --cert'
  if (!HUNG_UP.test(reason) || !(await speaksTls(tried))) return undefined
  return files.cert === undefined ? CERTIFICATE_WANTED : CERTIFICATE_DOUBTED
}

/** Programs on Node do not say that they refuse a certificate; Redis may hang up before it can be read. */
const HUNG_UP = /^(it closed the connection|the other side closed during the TLS handshake)$/
const CERTIFICATE_WANTED =
  'perhaps it wants a certificate of ours; add --cert FILE and --key FILE that its authority has signed'
const CERTIFICATE_DOUBTED = 'perhaps it does not accept our certificate; its log says why'

/** Any answer of a TLS program counts, even if it does not admit us. */
async function speaksTls({ host, port }: TriedPort): Promise<boolean> {
  const socket = connectTls({ host, port, rejectUnauthorized: false })
  const answer = await firstAnswer<boolean>(socket, GUESS_MS, (end) => {
    socket.once('secureConnect', () => end(true))
    socket.on('error', (error) => {
      const reason = tlsReasonOf(error)
      end(reason !== undefined && !/speaks (no TLS|HTTP)|closed during/.test(reason))
    })
  })
  return answer === true
}

/** Redis answers every line, if only with an error. */
async function speaksRedis({ host, port }: TriedPort): Promise<boolean> {
  const socket = connectPlain({ host, port })
  const answer = await firstAnswer<boolean>(socket, GUESS_MS, (end) => {
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (bytes) => end(/^[+-]/.test(bytes.toString('latin1'))))
  })
  return answer === true
}

/** What `listen` ends with; undefined if the socket fails or closes before, or the time is over. */
export function firstAnswer<T>(
  socket: Socket,
  limitMs: number,
  listen: (end: (answer: T) => void) => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (answer?: T) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, limitMs)
    listen(end)
    socket.on('error', () => end())
    socket.once('close', () => end())
  })
}
