import { Redis } from 'ioredis'

/** What ioredis does if one says nothing: it stays with a master for as long as the connection lives. */
export const STOCK = { waitsForReplica: false, client: {} }
/**
 * It moves when the Sentinels announce another master, and an order counts once a replica has it. SET and WAIT go out
 * together and are never sent again: a WAIT on the next connection would speak of nothing.
 */
export const MENDED = {
  waitsForReplica: true,
  client: {
    ...{ failoverDetector: true, disconnectTimeout: 50, retryStrategy: () => 20 },
    autoResendUnfulfilledCommands: false,
  },
}

/** How long a replica may take. */
const REPLICATED_WITHIN_MS = 100

export class Orders {
  #redis
  #waitsForReplica
  #isClosed = false

  constructor(sentinels, { waitsForReplica, client }) {
    this.#redis = new Redis({ sentinels, name: 'mymaster', maxRetriesPerRequest: 1, ...client })
    this.#redis.on('error', () => undefined)
    // ioredis 6 gives up for good if a switch is announced just while it asks a Sentinel for the master.
    this.#redis.on('end', () => this.#isClosed || this.#redis.connect().catch(() => undefined))
    this.#waitsForReplica = waitsForReplica
  }

  /** True: the customer is told that the order is accepted. */
  async accept(id) {
    try {
      const order = this.#redis.pipeline().set(`order:${id}`, 'paid')
      if (this.#waitsForReplica) order.wait(1, REPLICATED_WITHIN_MS)
      const [[refusal], [failure, replicas] = [null, 1]] = await order.exec()
      return refusal === null && failure === null && replicas >= 1
    } catch {
      return false
    }
  }

  close() {
    this.#isClosed = true
    this.#redis.disconnect()
  }
}
