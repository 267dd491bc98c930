/**
 * GET /events: server-sent events, as a browser's EventSource reads them. A reader that names the last id
 * it has seen gets what came since, as far as the ring goes back. A reader that does not take what it is
 * sent is dropped; it comes back by itself and goes on from its last id, so it loses nothing and costs us
 * no more than the bytes below.
 */
import type { ServerResponse } from 'node:http'
import { soundUtf8 } from '../../base/utf8.ts'
import type { RecordedEvent } from '../../http/event-ring.ts'
import type { EventFeed } from './http-site.ts'

const READERS_MAX = 64
/** More unsent bytes than this, and the reader is dropped. A whole ring is less. */
const QUEUED_MAX = 4 * 1024 * 1024
/** Proxies close connections on which nothing is said. */
const ALIVE_MS = 15_000
/** How long a browser waits before it comes back. */
const RETRY_MS = 1_000

export class EventStreams {
  readonly #feed: EventFeed
  readonly #readers = new Set<ServerResponse>()

  constructor(feed: EventFeed) {
    this.#feed = feed
    feed.follow((event) => this.#tell(frame(event)))
    setInterval(() => this.#tell(': alive\n\n'), ALIVE_MS).unref()
  }

  /** Takes over the response; false if there are too many readers. */
  open(response: ServerResponse, lastId: string | undefined): boolean {
    if (this.#readers.size >= READERS_MAX) return false
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    })
    const { isGap, events } = this.#feed.ring.after(lastId)
    const gap = isGap ? 'event: gap\ndata: {"text":"events were missed"}\n\n' : ''
    response.write(`retry: ${RETRY_MS}\n\n${gap}`)
    for (const event of events) response.write(frame(event), 'latin1')
    this.#readers.add(response)
    response.once('close', () => this.#readers.delete(response))
    return true
  }

  #tell(text: string): void {
    for (const response of this.#readers) {
      if (response.writableLength > QUEUED_MAX) response.destroy()
      else response.write(text, 'latin1')
    }
  }
}

function frame(event: RecordedEvent): string {
  return `id: ${event.id}\ndata: ${soundUtf8(JSON.stringify(event))}\n\n`
}
