/**
 * Accepted sockets that read into one buffer. Node gives every read of an accepted socket 64 KiB of its own
 * and passes them on through a stream, which costs a small command more than all that is done for it. It
 * lets a socket that is created read into a buffer of ours (`onread`), and an accepted one it creates itself:
 * so ours takes over the handle of that one. Handles have no documented name; where they are not what we
 * know, or have been read from, or TLS stands between, the socket stays as it is and tells what it reads by
 * its events.
 */
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'

/** The most that is read in one go. */
const INBOX_BYTES = 64 * 1024
/** Shared by all: what was read into it becomes a string before the next read. */
const INBOX = Buffer.allocUnsafeSlow(INBOX_BYTES)
/** For the rest of a long value: fewer, longer reads. */
const LARGE_INBOX_BYTES = 1024 * 1024
/** Made when the first long value comes: most programs never see one. */
let largeInbox: Buffer | undefined

/** What Node's own code knows of a socket that a server has accepted. */
interface Accepted {
  _handle?: unknown
  /** The server that counts it until it is closed. */
  _server?: unknown
  server?: unknown
  /** That of TLS; to ask for its class would load all of TLS. */
  encrypted?: unknown
}

type Options = SocketConstructorOpts & { readonly onread?: OnReadOpts; readonly handle?: unknown }

/** What becomes of the bytes that are read. */
export interface InboxReader {
  /** In latin1. */
  take(bytes: string): void
  /** How much more of a long value is to come, where that is known. */
  awaitedBytes?(): number
}

/**
 * Hands over what arrives on the socket. Returns the socket to use from now on: the same one unless it
 * `isOurs` to replace.
 */
export function received(socket: Socket, reader: InboxReader, isOurs: boolean): Socket {
  if (!isOurs || !mayTakeOver(socket)) {
    socket.on('data', (chunk) => reader.take(chunk.toString('latin1')))
    return socket
  }
  const accepted = socket as unknown as Accepted
  const { _handle, _server, server } = accepted
  const buffer = () => inboxFor(reader.awaitedBytes?.() ?? 0)
  const ours = new Socket(inboxOptions(reader.take, buffer, _handle))
  Object.assign(ours, { _server, server })
  accepted._handle = null
  accepted._server = null
  return ours
}

/** A socket for a connection of ours, which reads into the same buffer. */
export function receiving(take: (bytes: string) => void): Socket {
  return new Socket(inboxOptions(take, INBOX))
}

/** A buffer is asked for after each read. */
function inboxOptions(
  take: (bytes: string) => void,
  buffer: OnReadOpts['buffer'],
  handle?: unknown,
): Options {
  const callback = (length: number, inbox: Uint8Array) => {
    take((inbox as Buffer).toString('latin1', 0, length))
    return true
  }
  return { handle, onread: { buffer, callback } }
}

function inboxFor(awaitedBytes: number): Buffer {
  if (awaitedBytes <= INBOX_BYTES) return INBOX
  largeInbox ??= Buffer.allocUnsafeSlow(LARGE_INBOX_BYTES)
  return largeInbox
}

function mayTakeOver(socket: Socket): boolean {
  const { encrypted } = socket as Accepted
  if (encrypted === true || socket.connecting || socket.destroyed) return false
  if (socket.readableLength > 0 || socket.readableEnded || !socket.writable) return false
  const { _handle, _server } = socket as unknown as Accepted
  return isHandle(_handle) && typeof _server === 'object' && _server !== null
}

function isHandle(handle: unknown): boolean {
  return typeof handle === 'object' && handle !== null && 'useUserBuffer' in handle
}
