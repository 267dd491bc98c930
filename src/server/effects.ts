/**
 * What commands did to the data, in the form replicas are told: by effect. A relative expiry
 * becomes an absolute one, a random choice names its result, a blocking command becomes a plain
 * one. The effects of one command or of one transaction are collected here and told to replicas and
 * to the append-only file together when it ends, so that replicas apply them together.
 */
import { assert } from '../base/assert.ts'

/** Which of replicas and append-only file are told of an effect: `redis.set_repl` of scripts. */
export type EffectTargets = 'all' | 'replicas' | 'file' | 'none'

interface CommandEffect {
  readonly db: number
  readonly argv: readonly string[]
  /** For replicas only: PUBLISH and SPUBLISH change nothing that could be kept. */
  readonly isMessage: boolean
  /** For the append-only file only: a script asked for it. */
  readonly isForFile: boolean
}

type Tell = (db: number, commands: readonly (readonly string[])[]) => void

/** Who is told: the replicas, and the append-only file. */
interface Audience {
  readonly replication: { readonly keepsHistory: boolean; readonly propagate: Tell }
  readonly persistence: { readonly aof: { readonly isOn: boolean }; readonly propagate: Tell }
}

export class Effects {
  readonly #audience: Audience
  #pending: CommandEffect[] = []
  #depth = 0
  /** Where the next effects go; a script may choose. */
  targets: EffectTargets = 'all'

  constructor(audience: Audience) {
    this.#audience = audience
  }

  /** Without a backlog and a file, an effect need not be put into words. */
  get isAnyoneTold(): boolean {
    return this.#audience.replication.keepsHistory || this.#audience.persistence.aof.isOn
  }

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

  /** Closes what `begin` opened. The outermost call tells the effects. */
  end(): void {
    assert(this.#depth > 0, 'every end has its begin')
    this.#depth--
    if (this.#depth > 0) return
    this.targets = 'all'
    if (this.#pending.length === 0) return
    const effects = this.#pending
    this.#pending = []
    this.#tellAll(effects)
  }

  /** Tells one effect now, by itself: nothing that is being collected belongs to it. */
  tellAlone(db: number, argv: readonly string[]): void {
    this.#tell(db, [argv])
  }

  /** Replicas are told of messages (PUBLISH) too; the file is not, because they change nothing. */
  #tellAll(effects: readonly CommandEffect[]): void {
    if (!effects.some(({ isMessage, isForFile }) => isMessage || isForFile)) {
      this.#tell((effects[0] as CommandEffect).db, commandsOf(effects))
      return
    }
    const { replication, persistence } = this.#audience
    const sent = effects.filter(({ isForFile }) => !isForFile)
    if (sent.length > 0) replication.propagate((sent[0] as CommandEffect).db, commandsOf(sent))
    const kept = effects.filter(({ isMessage }) => !isMessage)
    if (kept.length > 0) persistence.propagate((kept[0] as CommandEffect).db, commandsOf(kept))
  }

  #tell(db: number, commands: readonly (readonly string[])[]): void {
    this.#audience.replication.propagate(db, commands)
    this.#audience.persistence.propagate(db, commands)
  }
}

/** Commands in order, for the database of the first effect; two or more form one transaction. */
function commandsOf(effects: readonly CommandEffect[]): readonly (readonly string[])[] {
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
