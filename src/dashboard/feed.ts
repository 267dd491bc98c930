/**
 * What the server says, as it says it: `/cluster` whenever something may have changed, and `/events` as a
 * stream. EventSource cannot send a token, so the stream is read with fetch, and resumed from the last id.
 */
import type { ClusterDocument } from '../http/cluster-document.ts'

/** One published event, as `/events` sends it. */
export interface FeedEvent {
  readonly id: string
  readonly name: string
  readonly data: string
}

export interface FeedHandlers {
  readonly onCluster: (cluster: ClusterDocument) => void
  readonly onEvent: (event: FeedEvent) => void
  /** Undefined: what is shown is what the server said within the last seconds. */
  readonly onTrouble: (why: string | undefined) => void
  /** The server wants a token, or another one. */
  readonly onTokenWanted: (wasRefused: boolean) => void
}

/** Figures such as lag move without an event. */
const REFRESH_MS = 2_000
const RETRY_MS = 1_000
/** What takes longer may never come: a firewall can forget a connection without a word to either side. */
const ANSWER_MS = 10_000
const TOKEN_KEY = 'vedette-token'

export class Feed {
  readonly #handlers: FeedHandlers
  #lastId = ''
  #refreshing = false
  #stream = new AbortController()

  constructor(handlers: FeedHandlers) {
    this.#handlers = handlers
  }

  start(): void {
    void this.#listen()
    void this.refresh()
    setInterval(() => void this.refresh(), REFRESH_MS)
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#stream.abort()
      else void this.refresh()
    })
  }

  /** The token is kept for this tab alone. One that no header can carry is no token of a Sentinel. */
  useToken(token: string): void {
    if (/[^!-~]/.test(token.trim())) return this.#handlers.onTokenWanted(true)
    sessionStorage.setItem(TOKEN_KEY, token)
    void this.refresh()
  }

  async refresh(): Promise<void> {
    if (this.#refreshing) return
    this.#refreshing = true
    try {
      const reply = await request('cluster')
      if (reply.status === 401) return this.#askForToken()
      if (!reply.ok) throw new Error(`/cluster answers ${reply.status}`)
      this.#handlers.onCluster((await reply.json()) as ClusterDocument)
      this.#handlers.onTrouble(undefined)
    } catch (error) {
      this.#handlers.onTrouble(said(error))
    } finally {
      this.#refreshing = false
    }
  }

  #askForToken(): void {
    this.#handlers.onTrouble('a token is needed')
    this.#handlers.onTokenWanted(sessionStorage.getItem(TOKEN_KEY) !== null)
  }

  /**
   * A browser opens six connections to a server, for all its tabs together. A tab that nobody looks at gives its own
   * back, or six of them would take all, and `/cluster` would wait in every tab.
   */
  async #listen(): Promise<never> {
    for (;;) {
      if (!document.hidden) await this.#follow()
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }

  async #follow(): Promise<void> {
    this.#stream = new AbortController()
    const { signal } = this.#stream
    await this.#readStream(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#handlers.onTrouble(said(error))
    })
  }

  async #readStream(signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> =
      this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }
    const reply = await request('events', { headers, signal })
    if (!reply.ok || reply.body === null) return
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const event = parseBlock(block)
    if (event === undefined) return
    if (event.id !== '') this.#lastId = event.id
    this.#handlers.onEvent(event)
    void this.refresh()
  }
}

/** One event of a stream (HTML Standard, 9.2.6); undefined for a comment that keeps the connection. */
function parseBlock(block: string): FeedEvent | undefined {
  const fields = { id: '', event: '', data: '' }
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
    if (name === 'data') fields.data += fields.data === '' ? value : `\n${value}`
    else if (name === 'id' || name === 'event') fields[name] = value
  }
  return fields.data === '' ? undefined : { id: fields.id, name: fields.event, data: fields.data }
}

/** With the token, if there is one. A request without a signal of its own is given up in time. */
export function request(path: string, init: RequestInit = {}): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN_KEY)
  const headers = new Headers(init.headers)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  const signal = init.signal ?? AbortSignal.timeout(ANSWER_MS)
  return fetch(path, { ...init, headers, signal, cache: 'no-store' })
}

function said(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return `no answer within ${ANSWER_MS / 1_000} s`
  }
  return error instanceof Error ? error.message : String(error)
}
