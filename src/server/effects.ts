/**
 * What commands did to the data, in the form replicas are told: by effect. A relative expiry
 * becomes an absolute one, a random choice names its result, a blocking command becomes a plain
 * one. The effects of one command or of one transaction are collected here and told together
 * (execution.ts), so that replicas apply them together.
 */
import { assert } from '../base/assert.ts'

/** Which of replicas and append-only file are told of an effect: `redis.set_repl` of scripts. */
export type EffectTargets = 'all' | 'replicas' | 'file' | 'none'

export interface CommandEffect {
  readonly db: number
  readonly argv: readonly string[]
  /** For replicas only: PUBLISH and SPUBLISH change nothing that could be kept. */
  readonly isMessage: boolean
  /** For the append-only file only: a script asked for it. */
  readonly isForFile: boolean
}

export class Effects {
  #pending: CommandEffect[] = []
  #depth = 0
  /** Where the next effects go; a script may choose. */
  targets: EffectTargets = 'all'

  /** Between `begin` and `end`, while effects are collected. */
  get isCollecting(): boolean {
    return this.#depth > 0
  }

  /** Opens a command or a transaction; transactions contain commands. */
  begin(): void {
    this.#depth++
  }

  add(db: number, argv: readonly string[], isMessage = false): void {
    const { targets } = this
    if (targets === 'none' || (targets === 'file' && isMessage)) return
    const isForReplicas = isMessage || targets === 'replicas'
    this.#pending.push({ db, argv, isMessage: isForReplicas, isForFile: targets === 'file' })
  }

  /**
   * Closes what `begin` opened. The outermost call returns the effects to be told now; undefined:
   * there are none.
   */
  end(): readonly CommandEffect[] | undefined {
    assert(this.#depth > 0, 'every end has its begin')
    this.#depth--
    if (this.#depth > 0 || this.#pending.length === 0) return undefined
    const effects = this.#pending
    this.#pending = []
    return effects
  }
}

/** Commands in order, for the database of the first effect; two or more form one transaction. */
export function commandsOf(effects: readonly CommandEffect[]): readonly (readonly string[])[] {
  const { db: first, argv } = effects[0] as CommandEffect
  // Nearly every command has one effect: there are no other databases to look for.
  if (effects.length === 1) return [argv]
  if (effects.every((effect) => effect.db === first)) return effects.map((effect) => effect.argv)
  return withSelects(effects, first)
}

/** How replicas are told that a key is gone; `isLazy`: its memory need not be freed at once. */
export function deletion(key: string, isLazy: boolean): string[] {
  return [isLazy ? 'UNLINK' : 'DEL', key]
}

/**
 * A transaction over several databases contains its SELECTs; the command after it selects again.
 */
function withSelects(effects: readonly CommandEffect[], first: number): (readonly string[])[] {
  const commands: (readonly string[])[] = []
  let selected = first
  for (const { db, argv } of effects) {
    if (db !== selected) commands.push(['SELECT', String(db)])
    selected = db
    commands.push(argv)
  }
  return commands
}
