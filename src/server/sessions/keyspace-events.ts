/**
 * [notify-keyspace-events] Tells subscribers what happened to keys, as messages on two channels:
 * `__keyspace@0__:key` says which event, `__keyevent@0__:event` which key. Each node tells its own
 * subscribers; nothing is kept for absent ones, and replicas get no copy.
 */
import type { Settings } from '../settings/settings.ts'
import { EVENT_CLASSES, type KeyspaceEvent } from './keyspace-event.ts'
import type { PubSub } from './pubsub.ts'

/** The classes that the letter A stands for. */
const ALL_CLASSES = 'g$lshzxetd'

export class KeyspaceEvents {
  readonly #settings: Settings
  readonly #pubsub: PubSub
  /** Whether anybody is told of anything; asked at every change of a key. */
  isOn = false
  #classes = ''
  #toldByKey = false
  #toldByEvent = false

  constructor(settings: Settings, pubsub: PubSub) {
    this.#settings = settings
    this.#pubsub = pubsub
    settings.onChange('notify-keyspace-events', () => this.#follow())
    this.#follow()
  }

  tells(event: KeyspaceEvent): boolean {
    return this.isOn && this.#classes.includes(EVENT_CLASSES[event])
  }

  tell(event: KeyspaceEvent, db: number, key: string): void {
    if (!this.tells(event)) return
    if (this.#toldByKey) this.#pubsub.publish(`__keyspace@${db}__:${key}`, event)
    if (this.#toldByEvent) this.#pubsub.publish(`__keyevent@${db}__:${event}`, key)
  }

  #follow(): void {
    const letters = this.#settings.text('notify-keyspace-events')
    this.#classes = letters.replace('A', ALL_CLASSES)
    this.#toldByKey = letters.includes('K')
    this.#toldByEvent = letters.includes('E')
    this.isOn = this.#toldByKey || this.#toldByEvent
  }
}
