/**
 * Passwords nobody can foresee. The generator of the machine is no source for them: it is made for
 * replaying runs, and its numbers, run ids among them, give away the ones to come. A hash does not.
 */
import { sha256 } from '../base/sha256.ts'

export class PasswordSource {
  readonly #secret: string
  #drawn = 0

  /** `secret`: at least 256 bits nobody else knows, as text. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** Hex characters. */
  draw(length: number): string {
    let text = ''
    while (text.length < length) text += sha256(`${this.#secret}/${this.#drawn++}`)
    return text.slice(0, length)
  }
}
