/**
 * The samples of a few groups, kept from one scrape to the next with their text. Most samples do not change
 * between two scrapes: a setting, an epoch, an instance that is up. So the text of a family is written anew
 * only if one of its samples here has changed, and to see that is much cheaper than to write it.
 */
import { type Exposition, type SampleTaker, valueText } from './exposition.ts'
import type { MetricFamily } from './family.ts'

export class KeptSamples implements SampleTaker {
  readonly #pages = new Map<MetricFamily, KeptPage>()
  /** Samples taken since `begin`. */
  count = 0

  /** Whatever is not added from now on was there in the last scrape and is gone. */
  begin(): void {
    this.count = 0
    for (const page of this.#pages.values()) page.at = 0
  }

  add(family: MetricFamily, labels: string, value: number | boolean): void {
    this.count++
    const page = this.#pages.get(family)
    if (page !== undefined) return page.put(labels, Number(value))
    const fresh = new KeptPage()
    this.#pages.set(family, fresh)
    fresh.put(labels, Number(value))
  }

  /** Hands over what there is. */
  finish(to: Exposition): void {
    for (const [family, page] of this.#pages) {
      const text = page.textOf(family)
      if (text !== '') to.insert(family, text)
    }
  }
}

class KeptPage {
  readonly #labels: string[] = []
  readonly #values: number[] = []
  readonly #digits: string[] = []
  #text = ''
  /** Stays true until the text has been written, even if a scrape is given up in between. */
  #isChanged = true
  at = 0

  put(labels: string, value: number): void {
    const { at } = this
    this.at++
    if (this.#values[at] === value && this.#labels[at] === labels) return
    this.#labels[at] = labels
    this.#values[at] = value
    this.#digits[at] = valueText(value)
    this.#isChanged = true
  }

  textOf({ name }: MetricFamily): string {
    if (this.at === this.#values.length && !this.#isChanged) return this.#text
    this.#labels.length = this.at
    this.#values.length = this.at
    this.#digits.length = this.at
    // Joined and not added up: what is kept is one flat string, not a tree of short ones.
    const parts: string[] = []
    for (const [index, digits] of this.#digits.entries()) {
      parts.push(name, this.#labels[index] ?? '', ' ', digits, '\n')
    }
    this.#text = parts.join('')
    this.#isChanged = false
    return this.#text
  }
}
