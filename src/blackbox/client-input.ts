/**
 * What clients send, as a record keeps it: whole requests, without secrets. The bytes of a request
 * that is not complete yet are held back until it is, because only a whole request tells what in it
 * is a password.
 *
 * Peers ask all the time, and nothing they ask has to do with passwords. So a piece is looked at
 * closely only if a word in it says so, or if it does not end where a request ends.
 */
import type { ClientId } from '../core/ids.ts'
import type { State } from '../core/state.ts'
import { encodeCommand } from '../resp/encode.ts'
import { RequestDecoder } from '../resp/request-decoder.ts'
import { NO_ECHOES } from './effect-text.ts'
import { type Echoes, type Hiding, HidingAloud, hideName, hideRequest } from './secrets.ts'
import { SeenTexts } from './seen-texts.ts'

/** Words that may stand in a request with a secret. */
const TELLING = /(?:^|\n)\s*["']?hello|auth|acl|pass|set|config|secret/i

export interface TakenInput {
  readonly shown: string
  readonly echoes: Echoes
}

export class ClientInput {
  readonly #hiding: Hiding
  /** By client: the beginning of a request. */
  readonly #held = new Map<ClientId, string>()
  /** What is held back of all clients together. */
  #heldBytes = 0
  /** Pieces without a telling word, as long as the commands have these names. */
  #plain = new SeenTexts()
  #renames: Renames = []

  constructor(hiding: Hiding) {
    this.#hiding = hiding
  }

  /**
   * What is recorded of a piece, and which secrets were in it. Called after the machine has taken
   * the piece.
   */
  take(state: State, id: ClientId, bytes: string): TakenInput {
    const renames = ownRenames(state)
    if (this.isWhole(state, id)) return this.takeWhole(renames, bytes)
    const { shown, rest, echoes } = this.#hide(renames, (this.#held.get(id) ?? '') + bytes)
    // After a fault nothing more is read, and the fault may stand in what was to be held back.
    const { isClosing: isOver } = state.clients.get(id) ?? { isClosing: true }
    this.#hold(id, isOver ? '' : rest)
    return { shown: isOver ? shown + blurred(renames, rest) : shown, echoes }
  }

  /** The machine has just taken a piece of this client: it began and ended where a request does. */
  isWhole({ clients }: State, id: ClientId): boolean {
    // Of which client something is held back is not asked, since hardly anything ever is.
    if (this.#held.size > 0) return false
    const client = clients.get(id)
    return client !== undefined && !client.isClosing && client.decoder.pendingBytes === 0
  }

  /** As `take`, of a piece that was whole, also later. `renames`: as they were then. */
  takeWhole(renames: Renames, bytes: string): TakenInput {
    if (this.#isTelling(renames, bytes)) return this.#hide(renames, bytes)
    return { shown: bytes, echoes: NO_ECHOES }
  }

  /** The requests in the decoder of a client that wait to be served, for an image of the machine. */
  waiting(state: State, bytes: string): string {
    return this.#hide(ownRenames(state), bytes).shown
  }

  /** A segment begins: what clients have sent of a request is held back, also if nothing was recorded when it came. */
  begin(state: State): void {
    this.#held.clear()
    this.#heldBytes = 0
    for (const { id, decoder } of state.clients.values()) {
      const { unfinished } = decoder
      const rest = unfinished && this.#hide(ownRenames(state), unfinished).rest
      this.#hold(id, rest ?? '')
    }
  }

  forget(id: ClientId): void {
    this.#hold(id, '')
  }

  /** What is held back of all clients together. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  #hold(id: ClientId, rest: string): void {
    this.#heldBytes += rest.length - (this.#held.get(id)?.length ?? 0)
    if (rest === '') this.#held.delete(id)
    else this.#held.set(id, rest)
  }

  #isTelling(renames: Renames, bytes: string): boolean {
    if (renames !== this.#renames) this.#plain = new SeenTexts()
    this.#renames = renames
    if (this.#plain.has(bytes)) return false
    if (isTelling(renames, bytes)) return true
    this.#plain.add(bytes)
    return false
  }

  #hide(renames: Renames, bytes: string): TakenInput & { readonly rest: string } {
    const hiding = new HidingAloud(this.#hiding)
    const decoder = new RequestDecoder()
    decoder.push(bytes)
    let shown = ''
    let start = 0
    for (;;) {
      const request = decoder.next()
      if (request?.kind !== 'command') {
        return { shown, rest: bytes.slice(start), echoes: hiding.hidden }
      }
      const own = bytes.slice(start, decoder.consumed)
      shown += isTelling(renames, own) ? encodeCommand(wordsOf(hiding, renames, request.argv)) : own
      start = decoder.consumed
    }
  }
}

function wordsOf(hiding: Hiding, renames: Renames, argv: readonly string[]): readonly string[] {
  const typed = argv[0]?.toLowerCase() ?? ''
  const renamed = renames.find(([, here]) => here.toLowerCase() === typed)
  const words = hideRequest(hiding, renamed?.[0] ?? typed, argv)
  return renamed === undefined ? words : [hideName(hiding, typed), ...words.slice(1)]
}

function isTelling(renames: Renames, bytes: string): boolean {
  if (TELLING.test(bytes)) return true
  if (renames.length === 0) return false
  const text = bytes.toLowerCase()
  return renames.some(([, here]) => here !== '' && text.includes(here.toLowerCase()))
}

/** Names of commands of ours, and what they are called instead. */
type Renames = readonly (readonly [string, string])[]

export function ownRenames({ config }: Pick<State, 'config'>): Renames {
  return config.ownRenamedCommands
}

/**
 * What a client had sent of a request when the machine gave it up. The shape stays, which is what a
 * decoder stumbles over; the text goes where it may be a secret.
 */
function blurred(renames: Renames, rest: string): string {
  if (!isTelling(renames, rest)) return rest
  const blur = (line: string) =>
    /^[*$]-?\d*\r?$/.test(line) ? line : line.slice(0, 1) + line.slice(1).replace(/\w/g, 'x')
  return rest.split('\n').map(blur).join('\n')
}
