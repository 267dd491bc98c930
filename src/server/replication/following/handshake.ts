/**
 * The replica's side of the handshake: PING alone, then everything the replica says about itself in
 * one burst, then PSYNC, once the last of the burst is answered. Lines come in, bytes or a decision
 * go out.
 *
 * The handshake is that of Valkey 9, which is Redis' with a version. A replica whose history may no longer be its
 * master's asks in the burst for the master's lineage, too, see lineage.ts.
 */

import { unreachable } from '../../../base/assert.ts'
import { parseInt64 } from '../../../base/decimal.ts'
import { encodeCommand } from '../../../resp/encode.ts'
import { REPLICATION_ID_LENGTH } from '../history/history.ts'
import { type LineageAnswer, LineageReply } from '../history/lineage.ts'

export interface HandshakeTerms {
  /** Empty: the default user. */
  readonly user: string
  /** Empty: no AUTH. */
  readonly password: string
  readonly listeningPort: number
  /** Empty: the master takes the address the connection comes from. */
  readonly announcedHost: string
  /** The position we offer to a master of that lineage; undefined: we need everything. */
  position(lineage: LineageAnswer): HistoryPosition | undefined
  /** The peer is to become the master and we its replica: our own FAILOVER. */
  readonly takeOver: boolean
  /** Whether to ask the master for its lineage. */
  readonly asksLineage: boolean
  /** Whether to accept, from a master without PSYNC, a copy without a position in any history. */
  readonly acceptsUnplaced: boolean
  /** Strict replication: what to say of our term; undefined: nothing. */
  readonly saidTerm: string | undefined
  /** What the master says of its own. Returns why it cannot be followed; undefined: it can. */
  meetMaster(text: string): string | undefined
}

export interface HistoryPosition {
  readonly id: string
  readonly offset: number
}

export type HandshakeStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'send'; readonly bytes: string }
  /** A payload follows, which is the dataset as of this position. */
  | { readonly kind: 'full'; readonly position: HistoryPosition }
  /** A copy follows that has no position in any history; `header` is the line before it. */
  | { readonly kind: 'unplaced'; readonly header: string }
  /** The stream follows from where we asked. `id`: the master's history, if the master names it. */
  | { readonly kind: 'partial'; readonly id: string | undefined }
  | { readonly kind: 'failed'; readonly reason: string }

type Question =
  | 'ping'
  | 'auth'
  | 'port'
  | 'address'
  | 'capabilities'
  | 'version'
  | 'term'
  | 'lineage'
  | 'psync'
  | 'sync'

/**
 * Valkey 9 sends its own form of RDB to replicas that say they are as new. To all others it cannot send hashes whose
 * fields expire, and breaks off the copy at the first of them.
 */
const ANNOUNCED_VERSION = '9.0.0'

const WAIT: HandshakeStep = { kind: 'wait' }

export class Handshake {
  readonly #terms: HandshakeTerms
  /** The questions without an answer so far, in order. */
  #pending: Question[] = ['ping']
  readonly #lineageReply = new LineageReply()
  #lineage: LineageAnswer = 'unasked'
  #offered: HistoryPosition | undefined

  constructor(terms: HandshakeTerms) {
    this.#terms = terms
  }

  /** A node of a strict group loses no round trip: its master knows all that is said, and clients wait for the link. */
  opening(): string {
    const ping = encodeCommand(['PING'])
    if (this.#terms.saidTerm === undefined) return ping
    const burst = this.#introduction()
    this.#pending = ['ping', ...burst.map(([question]) => question)]
    return ping + burst.map(([, argv]) => encodeCommand(argv)).join('')
  }

  /** The master may take its time over PSYNC; it answers every question before that at once. */
  get isWaitingForSync(): boolean {
    return this.#pending[0] === 'psync' || this.#pending[0] === 'sync'
  }

  /** The history in which we offered to go on; undefined: we need everything. */
  get offeredId(): string | undefined {
    return this.#offered?.id
  }

  /** What the master said about its history. */
  get lineage(): LineageAnswer {
    return this.#lineage
  }

  /** The master was asked for its lineage, and its answer is not complete. */
  get isAskingLineage(): boolean {
    return this.#pending[0] === 'lineage'
  }

  line(text: string): HandshakeStep {
    const question = this.#pending[0]
    switch (question) {
      case 'ping':
        return this.#onPong(text)
      case 'auth':
        if (text.startsWith('-')) return failed(`it refused AUTH: ${text}`)
        return this.#answered()
      case 'port':
      case 'address':
      case 'capabilities':
      case 'version':
        // A master that does not know one of these options can do without it.
        return this.#answered()
      case 'term':
        return this.#onTerm(text)
      case 'lineage':
        return this.#onLineage(text)
      case 'sync':
        return this.#onSync(text)
      case 'psync':
      case undefined:
        return this.#onPsync(text)
      default:
        return unreachable(question)
    }
  }

  /** An error that says "authenticate first" still proves that the master is alive. */
  #onPong(text: string): HandshakeStep {
    if (!/^(\+|-NOAUTH|-NOPERM|-ERR operation not permitted)/.test(text)) {
      return failed(`it answered PING with: ${text}`)
    }
    if (this.#pending.length > 1) return this.#answered()
    const burst = this.#introduction()
    this.#pending = burst.map(([question]) => question)
    return { kind: 'send', bytes: burst.map(([, argv]) => encodeCommand(argv)).join('') }
  }

  #introduction(): [Question, string[]][] {
    const { user, password, listeningPort, announcedHost } = this.#terms
    const credentials = user === '' ? [password] : [user, password]
    const burst: [Question, string[]][] = []
    if (password !== '') burst.push(['auth', ['AUTH', ...credentials]])
    burst.push(['port', ['REPLCONF', 'listening-port', String(listeningPort)]])
    if (announcedHost !== '') burst.push(['address', ['REPLCONF', 'ip-address', announcedHost]])
    burst.push(['capabilities', ['REPLCONF', 'capa', 'eof', 'capa', 'psync2']])
    burst.push(['version', ['REPLCONF', 'version', ANNOUNCED_VERSION]])
    const { saidTerm } = this.#terms
    if (saidTerm !== undefined) burst.push(['term', ['REPLCONF', 'sync-term', saidTerm]])
    if (this.#terms.asksLineage) burst.push(['lineage', ['INFO']])
    return burst
  }

  #onTerm(text: string): HandshakeStep {
    const reason = this.#terms.meetMaster(text)
    return reason === undefined ? this.#answered() : failed(reason)
  }

  #onLineage(text: string): HandshakeStep {
    const answer = this.#lineageReply.line(text)
    if (answer === undefined) return WAIT
    if (answer === 'broken') return failed('it answered INFO with something else')
    this.#lineage = answer
    return this.#answered()
  }

  #answered(): HandshakeStep {
    this.#pending.shift()
    if (this.#pending.length > 0) return WAIT
    this.#pending = ['psync']
    const position = this.#terms.position(this.#lineage)
    this.#offered = position
    const asked = position === undefined ? ['?', '-1'] : [position.id, String(position.offset + 1)]
    const takeOver = this.#terms.takeOver ? ['FAILOVER'] : []
    return { kind: 'send', bytes: encodeCommand(['PSYNC', ...asked, ...takeOver]) }
  }

  #onPsync(text: string): HandshakeStep {
    if (text === '') return WAIT
    const [word, id, offset] = text.split(' ')
    if (word === '+FULLRESYNC') return fullResync(id, offset)
    if (word === '+CONTINUE' && this.#offered !== undefined) {
      return { kind: 'partial', id: isHistoryId(id) ? id : undefined }
    }
    return this.#fallBack(text)
  }

  /**
   * The master cannot serve PSYNC now, or does not know it. SYNC is older, and an inline command.
   */
  #fallBack(text: string): HandshakeStep {
    const { acceptsUnplaced, takeOver } = this.#terms
    const isPassing = /^-(NOMASTERLINK|LOADING)/.test(text)
    if (isPassing || takeOver || !acceptsUnplaced || !text.startsWith('-')) {
      return failed(`it answered PSYNC with: ${text}`)
    }
    this.#pending = ['sync']
    return { kind: 'send', bytes: 'SYNC\r\n' }
  }

  #onSync(text: string): HandshakeStep {
    if (text === '') return WAIT
    if (text.startsWith('$')) return { kind: 'unplaced', header: text }
    return failed(`it answered SYNC with: ${text}`)
  }
}

function fullResync(id: string | undefined, offset: string | undefined): HandshakeStep {
  const position = parseInt64(offset ?? '')
  if (!isHistoryId(id) || typeof position !== 'number' || position < 0) {
    return failed('its FULLRESYNC names no position')
  }
  return { kind: 'full', position: { id, offset: position } }
}

function isHistoryId(id: string | undefined): id is string {
  return id?.length === REPLICATION_ID_LENGTH
}

function failed(reason: string): HandshakeStep {
  return { kind: 'failed', reason }
}
