import { randomUUID } from 'node:crypto'

/** Sessions of half an hour, which every use prolongs. */
export class SessionStore {
  #redis
  #seconds

  constructor(redis, { seconds = 1_800 } = {}) {
    this.#redis = redis
    this.#seconds = seconds
  }

  async open(user) {
    const id = randomUUID()
    await this.#redis.set(`session:${id}`, JSON.stringify({ user }), { EX: this.#seconds })
    return id
  }

  /** Undefined: it has ended, or there never was such a session. */
  async use(id) {
    const text = await this.#redis.getEx(`session:${id}`, { type: 'EX', value: this.#seconds })
    return text === null ? undefined : JSON.parse(text)
  }

  async close(id) {
    await this.#redis.del(`session:${id}`)
  }
}
