const { Queue, Worker } = require('bullmq')

/** A queue of mails and the worker that sends them: each is tried until it is sent. */
class MailQueue {
  #queue
  #worker

  constructor(sentinels, send) {
    const connection = {
      ...{ sentinels, name: 'mymaster', maxRetriesPerRequest: null },
      ...{ retryStrategy: () => 50, sentinelRetryStrategy: () => 50 },
    }
    this.#queue = new Queue('mail', { connection })
    this.#worker = new Worker('mail', ({ data }) => send(data), {
      ...{ connection, stalledInterval: 1_000, lockDuration: 2_000, maxStalledCount: 10 },
    })
    for (const part of [this.#queue, this.#worker]) part.on('error', () => undefined)
  }

  post(mail) {
    return this.#queue.add('mail', mail, { attempts: 5, backoff: { type: 'fixed', delay: 50 } })
  }

  async close() {
    await this.#worker.close(true)
    await this.#queue.close()
  }
}

module.exports = { MailQueue }
