/**
 * A segment told under other names: the machine runs on it once as it was and once as it will be, and must do the
 * same in both. The digests are those of what it does under the new names, so the new segment plays like any
 * other.
 */
import { readPart } from '../core/discovery/info-parser.ts'
import { type Group, instancesOf, type State } from '../core/state.ts'
import { BlockWriter, type RecordBlock, RecordFault } from './block.ts'
import { ClientInput } from './client-input.ts'
import { type PiecesDigest, shapeOf } from './effect-text.ts'
import type { EntryEvent } from './entry.ts'
import { EventTable } from './event-table.ts'
import { Player } from './player.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import type { RecordHead } from './recorder.ts'
import { HIDDEN_ALREADY } from './secrets.ts'
import { imageOf } from './sentinel-image.ts'

/** A block, and the shape of each step that it makes. */
interface OriginalBlock {
  readonly block: RecordBlock
  readonly shapes: readonly string[]
}

export class SegmentRewriter {
  readonly #head: RecordHead
  readonly #original: Player
  readonly #names: Pseudonyms
  readonly #digest: PiecesDigest
  readonly #blocks: OriginalBlock[] = []
  /** By group and name of a member, under the names of before. */
  readonly #slots = new Map<string, Map<string, number>>()

  /** Throws a RecordFault. */
  constructor(head: RecordHead, names: Pseudonyms, digest: PiecesDigest) {
    this.#head = head
    this.#names = names
    this.#digest = digest
    this.#original = new Player(head, digest)
    this.#learn(this.#original.state)
  }

  /** The next block of the original. Throws a RecordFault where it does not play. */
  take(block: RecordBlock): void {
    const shapes: string[] = []
    const steps = this.#original.play(block)
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) {
      const { effects, isDecision, event, state } = step.value
      shapes.push(shapeOf(effects))
      if (isDecision || event.kind === 'clientOpened') this.#learn(state)
    }
    if (step.value !== undefined) throw new RecordFault(step.value.what)
    this.#blocks.push({ block, shapes })
  }

  /** What was taken, under the new names. Throws a RecordFault where the machine decides otherwise under them. */
  rewritten(): { readonly head: RecordHead; readonly blocks: readonly string[] } {
    const image = JSON.stringify(this.#names.renameAll(JSON.parse(this.#head.image)))
    const { state } = new Player({ ...this.#head, image }, this.#digest)
    for (const [group, slots] of this.#slots) this.#giveSlots(state, group, slots)
    const input = new ClientInput(HIDDEN_ALREADY)
    const head = { ...this.#head, image: imageOf(state, HIDDEN_ALREADY, input) }
    const renamed = new Player(head, this.#digest)
    const table = new EventTable()
    return { head, blocks: this.#blocks.map((one) => this.#block(one, renamed, table)) }
  }

  #block({ block, shapes }: OriginalBlock, renamed: Player, table: EventTable): string {
    const entries = block.entries.map((entry) => ({ ...entry, event: this.#rename(entry.event) }))
    const { digested, after } = renamed.digested(entries)
    const stray = shapes.findIndex((shape, at) => shape !== after[at])
    if (stray >= 0)
      throw new RecordFault(
        `step ${stray + 1}: under other names the machine does other things: ${after[stray]}, and not ${shapes[stray]}`,
      )
    const [first] = digested.entries
    if (first === undefined) throw new RecordFault('a block without a step')
    const writer = new BlockWriter(first.now, table)
    for (const entry of digested.entries) writer.add(entry)
    return writer.text(digested.digest)
  }

  #learn(state: State): void {
    this.#names.learn(state)
    for (const group of state.groups.values()) {
      const { name } = group.config
      const slots = this.#slots.get(name) ?? new Map<string, number>()
      this.#slots.set(name, slots)
      for (const instance of instancesOf(group)) slots.set(instance.name, instance.slot % SLOTS)
    }
  }

  #giveSlots(state: State, name: string, slots: ReadonlyMap<string, number>): void {
    const group: Group | undefined = state.groups.get(this.#names.rename(name))
    if (group === undefined) return
    group.slots = new Map(
      [...slots].map(([member, slot]) => [this.#names.rename(member), slot] as const),
    )
  }

  #rename(event: EntryEvent): EntryEvent {
    return this.#names.renameAll(briefInfo(event)) as EntryEvent
  }
}

/**
 * A slot counts in tenths of a second modulo a period: this has the usual periods as divisors, and tells too little
 * of the name from which it was made to find it out.
 */
const SLOTS = 12_600

/** Of INFO only what a Sentinel reads: the rest tells of a machine, and decides nothing. */
function briefInfo(event: EntryEvent): EntryEvent {
  if (event.kind === 'infoAgain') {
    const lines = event.lines.map(([at, line]) => [at, briefLine(line)] as const)
    return { ...event, lines }
  }
  const isInfo = event.kind === 'reply' && event.purpose.kind === 'info'
  if (!isInfo || event.reply.kind !== 'bulk') return event
  const bytes = event.reply.bytes.split('\n').map(briefLine).join('\n')
  return { ...event, reply: { kind: 'bulk', bytes } }
}

/** What a line ends with stays: another line is behind it. */
function briefLine(line: string): string {
  if (readPart(line) !== '') return line
  return line.endsWith('\r') ? '\r' : ''
}
