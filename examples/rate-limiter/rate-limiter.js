/** Counts the requests of each client in windows of a minute. The script makes counting and expiry one step. */
const COUNT = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }`

export class RateLimiter {
  #redis
  #limit
  #windowMs

  constructor(redis, { limit, windowMs = 60_000 }) {
    this.#redis = redis
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /** While Redis has no master a request is let through: a shop that is open is worth more than a count. */
  async take(client) {
    try {
      const [count, leftMs] = await this.#redis.eval(COUNT, 1, `rate:${client}`, this.#windowMs)
      return { isAllowed: count <= this.#limit, retryAfterMs: count <= this.#limit ? 0 : leftMs }
    } catch {
      return { isAllowed: true, retryAfterMs: 0 }
    }
  }
}
