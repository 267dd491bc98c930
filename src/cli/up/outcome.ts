/** Something that will be known once: whoever finds out settles it, whoever cares awaits it. */
export class Outcome<T> {
  readonly known: Promise<T>
  /** Only the first call counts. */
  readonly settle: (value: T) => void

  constructor() {
    let settle: (value: T) => void = () => undefined
    this.known = new Promise((resolve) => {
      settle = resolve
    })
    this.settle = settle
  }
}
