/** A client that sends something new each time must not fill the memory. */
const MAX_TEXTS = 1_000
/** A hello has some three hundred characters with its command. */
const MAX_CHARACTERS = 1_024

/** Texts that were looked at and had nothing in them: peers send the same again and again, and looking costs more than finding. */
export class SeenTexts {
  readonly #texts = new Set<string>()

  has(text: string): boolean {
    return this.#texts.has(text)
  }

  add(text: string): void {
    if (text.length > MAX_CHARACTERS) return
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear()
    this.#texts.add(text)
  }
}
