export interface Way {
  readonly name: string
  readonly steps: readonly string[]
  /** Of all nodes. */
  readonly settings?: string
  /** More settings, which only Vedette's nodes know. */
  readonly ours?: string
  readonly downAfter?: string
  /** Directives of n3. */
  readonly third?: string
}

export const WAYS: readonly Way[]

export function scenarioText(
  way: Way,
  how: { readonly replication: string; readonly client: string; readonly isOurs?: boolean },
): string
