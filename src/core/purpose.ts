/**
 * Why a command was sent, handed back with its reply. The machine keeps no closures, so that a
 * recorded list of events is the whole truth about what it will do.
 */
export type Purpose =
  | { readonly kind: 'auth' }
  /** CLIENT SETNAME: the reply decides nothing, but a refusal is worth a log line. */
  | { readonly kind: 'setup' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'info' }
  /** `group`, here and below: whose word it is, on a link that groups may share. */
  | { readonly kind: 'hello'; readonly group: string }
  | { readonly kind: 'subscribe' }
  /**
   * IS-MASTER-DOWN-BY-ADDR. `epoch` is set when a vote was asked for, else 0. The address is kept
   * because an answer that outlives a switch speaks about the wrong master.
   */
  | {
      readonly kind: 'ask'
      readonly group: string
      readonly host: string
      readonly port: number
      readonly epoch: number
    }
  /** SENTINEL CONFER; `epoch` is the one we would like to be elected in. */
  | {
      readonly kind: 'confer'
      readonly group: string
      readonly host: string
      readonly port: number
      readonly epoch: number
    }
  /** A step of the SLAVEOF transaction. */
  | { readonly kind: 'slaveof' }
  /** A step of a coordinated failover: the order to hand over, its end, or that it is called off. */
  | {
      readonly kind: 'handover'
      readonly part: 'order' | 'release' | 'callOff'
      readonly epoch: number
    }
  /** SCRIPT KILL, to an instance that is down because a script keeps it busy. */
  | { readonly kind: 'scriptKill' }
