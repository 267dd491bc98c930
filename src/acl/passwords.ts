/**
 * Passwords that cannot be predicted. The machine's generator cannot be their source: it is made
 * for replaying runs, and its public numbers, such as run ids, give away the ones to come. A hash
 * does not.
 */
import { sha256 } from '../base/sha256.ts'

export class PasswordSource {
  readonly #secret: string
  #drawn = 0

  /** `secret`: a text with at least 256 bits that no other process knows. */
  constructor(secret: string) {
    this.#secret = secret
  }

  /** As hex characters. */
  draw(length: number): string {
    let text = ''
    while (text.length < length) text += sha256(`${this.#secret}/${this.#drawn++}`)
    return text.slice(0, length)
  }
}
