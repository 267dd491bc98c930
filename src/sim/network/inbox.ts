/**
 * What the kernel keeps for a stopped process, and the order in which the process takes it when it
 * continues. Measured with Node 20 and SIGSTOP; the same for every program that uses libuv:
 * - A socket is read to its end before the next one is looked at, and sockets that became ready
 *   first come first. Arrival decides nothing else: a client's thousand commands go before a
 *   replica's single reply that arrived among them.
 * - The end of a connection after unread bytes is noticed one look later than those bytes.
 * - A connection that was made meanwhile is accepted in its turn, and read one look later.
 * - Late timers come between the first look and the second one (io/process/alarm.ts ensures that).
 */
import type { Task } from '../scheduler.ts'
import { type InputSource, Socket } from './socket.ts'

export interface Waiting {
  readonly input: Task
  readonly source: InputSource
}

export class Inbox {
  /** By source, in the order in which each first had input. */
  readonly #queues = new Map<unknown, Waiting[]>()

  put(input: Task, source: InputSource): void {
    // Input without a source is a source of its own.
    const key = source ?? input
    const queue = this.#queues.get(key)
    if (queue === undefined) this.#queues.set(key, [{ input, source }])
    else queue.push({ input, source })
  }

  /** Input that the process reads at once, and input that it sees only when it looks again. */
  looks(): readonly [first: readonly Waiting[], second: readonly Waiting[]] {
    const [first, second]: [Waiting[], Waiting[]] = [[], []]
    for (const queue of this.#queues.values()) {
      const source = queue[0]?.source
      // A socket gives one read at most, because its input is read as one, and then its end.
      const atOnce = !(source instanceof Socket) ? queue.length : source.isReading ? 1 : 0
      first.push(...queue.slice(0, atOnce))
      second.push(...queue.slice(atOnce))
    }
    return [first, second]
  }
}
