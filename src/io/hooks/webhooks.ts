/** All webhooks of a Sentinel: each event is offered to each, and a reload changes those that changed. */
import type { AnnouncedEvent } from '../../core/announced-event.ts'
import type { WebhookConfig } from '../../hooks/webhook-config.ts'
import { Webhook, type WebhookSurroundings } from './webhook.ts'

export class Webhooks {
  readonly #surroundings: WebhookSurroundings
  #all: readonly Webhook[] = []

  /** Throws a StartError if one cannot be used. */
  constructor(configs: readonly WebhookConfig[], surroundings: WebhookSurroundings) {
    this.#surroundings = surroundings
    this.#all = configs.map((config) => new Webhook(config, surroundings))
  }

  offer(event: AnnouncedEvent): void {
    for (const webhook of this.#all) webhook.offer(event)
  }

  /**
   * Those that are configured as before keep what waits, and read their secrets again. Throws a StartError
   * if one cannot be used; then nothing changes.
   */
  change(configs: readonly WebhookConfig[]): void {
    const before = [...this.#all]
    const next = configs.map((config) => {
      const at = before.findIndex((one) => isSame(one.config, config))
      const [kept] = at < 0 ? [] : before.splice(at, 1)
      kept?.rereadSecret()
      return kept ?? new Webhook(config, this.#surroundings)
    })
    this.#all = next
    for (const gone of before) this.#close(gone)
  }

  /** What waits is lost, and the log says how much. */
  close(): void {
    for (const webhook of this.#all) this.#close(webhook)
    this.#all = []
  }

  #close(webhook: Webhook): void {
    const lost = webhook.close()
    if (lost === 0) return
    const text = `webhook ${webhook.config.name}: ${lost} events were not delivered and are lost`
    this.#surroundings.logger.log('warning', text)
  }
}

function isSame(a: WebhookConfig, b: WebhookConfig): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
