/**
 * What commands did to the data, in the form replicas are told: by effect. A relative expiry becomes an
 * absolute one, a random choice names its result, a blocking command becomes a plain one. The effects of
 * one command or of one transaction are collected here and handed on together, so that replicas apply
 * them together.
 */
import { assert } from '../base/assert.ts'

interface Effect {
  readonly db: number
  readonly argv: readonly string[]
}

/** Receives effects in order; two or more commands are one transaction. */
export type Propagate = (db: number, commands: readonly (readonly string[])[]) => void

export class Effects {
  #pending: Effect[] = []
  #depth = 0
  readonly #propagate: Propagate

  constructor(propagate: Propagate) {
    this.#propagate = propagate
  }

  /** Between `begin` and `end`, when effects are gathered to be told together. */
  get isCollecting(): boolean {
    return this.#depth > 0
  }

  /** Opens a command or a transaction; transactions contain commands. */
  begin(): void {
    this.#depth++
  }

  add(db: number, argv: readonly string[]): void {
    this.#pending.push({ db, argv })
  }

  /** Closes what `begin` opened; the outermost tells. */
  end(): void {
    assert(this.#depth > 0, 'every end has its begin')
    this.#depth--
    if (this.#depth > 0 || this.#pending.length === 0) return
    const effects = this.#pending
    this.#pending = []
    this.#tell(effects)
  }

  #tell(effects: readonly Effect[]): void {
    const { db: first, argv } = effects[0] as Effect
    // Nearly every command has one effect: no need to look for other databases.
    if (effects.length === 1) return this.#propagate(first, [argv])
    if (effects.every((effect) => effect.db === first)) {
      this.#propagate(
        first,
        effects.map((effect) => effect.argv),
      )
    } else {
      this.#propagate(first, withSelects(effects, first))
    }
  }
}

/** PUBLISH and SPUBLISH are told to replicas, but they change nothing that could be kept. */
export function isMessage(argv: readonly string[]): boolean {
  const name = argv[0] as string
  // Nearly every command has another length than these two.
  if (name.length !== 7 && name.length !== 8) return false
  const lower = name.toLowerCase()
  return lower === 'publish' || lower === 'spublish'
}

/** How replicas are told that a key is gone; `isLazy`: that its memory need not be freed at once. */
export function deletion(key: string, isLazy: boolean): string[] {
  return [isLazy ? 'UNLINK' : 'DEL', key]
}

/** A transaction over several databases selects within; what follows it selects again. */
function withSelects(effects: readonly Effect[], first: number): (readonly string[])[] {
  const commands: (readonly string[])[] = []
  let selected = first
  for (const { db, argv } of effects) {
    if (db !== selected) commands.push(['SELECT', String(db)])
    selected = db
    commands.push(argv)
  }
  return commands
}
