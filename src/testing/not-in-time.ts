/** The bound is over. `missing` says what was not so. */
export class NotInTime extends Error {
  readonly missing: readonly string[]

  constructor(what: string, withinMs: number, missing: readonly string[]) {
    super(`${what} was not reached within ${withinMs} ms: ${missing.join('; ')}`)
    this.name = 'NotInTime'
    this.missing = missing
  }
}
