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
  /**
   * IS-MASTER-DOWN-BY-ADDR. `epoch` is set when a vote was asked for, else 0. The address is kept
   * because an answer that outlives a switch speaks about the wrong master.
   */
  | { readonly kind: 'ask'; readonly host: string; readonly port: number; readonly epoch: number }
  /** A step of the SLAVEOF transaction. */
  | { readonly kind: 'slaveof' }
