/**
 * Why a command was sent, handed back with its reply. The machine keeps no closures, so that a
 * recorded list of events is the whole truth about what it will do.
 */
export type Purpose =
  /** AUTH and CLIENT SETNAME: the reply decides nothing, but a refusal is worth a log line. */
  | { readonly kind: 'setup' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'info' }
  | { readonly kind: 'hello' }
  | { readonly kind: 'subscribe' }
  /** IS-MASTER-DOWN-BY-ADDR for this group; `epoch` is set when a vote was asked for, else 0. */
  | { readonly kind: 'ask'; readonly group: string; readonly epoch: number }
  /** A step of the SLAVEOF transaction. */
  | { readonly kind: 'slaveof' }
