/**
 * Why a command was sent, handed back with its reply. The machine keeps no closures, so a recorded
 * list of events is the whole truth about what it will do.
 */
export type Purpose =
  | { readonly kind: 'auth' }
  /** CLIENT SETNAME: the reply decides nothing, but a refusal is worth a log line. */
  | { readonly kind: 'setup' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'info' }
  /**
   * `group`, here and below: the group the command was sent for, on a link that groups may share.
   */
  | { readonly kind: 'hello'; readonly group: string }
  | { readonly kind: 'subscribe' }
  /** SENTINEL MYID, sent to a peer that has not proven itself. */
  | { readonly kind: 'whoAreYou'; readonly group: string }
  /**
   * IS-MASTER-DOWN-BY-ADDR. `epoch` is set if we asked for a vote, otherwise 0. The address is kept
   * because an answer that arrives after a switch speaks about the wrong master.
   */
  | {
      readonly kind: 'ask'
      readonly group: string
      readonly host: string
      readonly port: number
      readonly epoch: number
    }
  /** SENTINEL CONFER; `epoch` is the one in which we would like to be elected. */
  | {
      readonly kind: 'confer'
      readonly group: string
      readonly host: string
      readonly port: number
      readonly epoch: number
    }
  /** SENTINEL SHARE-PAUSE; `number` is that of the order it tells. */
  | { readonly kind: 'sharePause'; readonly group: string; readonly number: number }
  /** SENTINEL BY-HAND: it only prepares the request for a vote behind it. */
  | { readonly kind: 'byHand'; readonly group: string }
  /** SENTINEL FORGET, sent on behalf of an operator. */
  | {
      readonly kind: 'forget'
      readonly group: string
      readonly host: string
      readonly port: number
      readonly phase: 'ask' | 'tell'
    }
  /**
   * A step of the SLAVEOF transaction; with SLAVEOF itself all its orders. `promotes`: SLAVEOF NO ONE, or the end of its
   * transaction.
   */
  | {
      readonly kind: 'slaveof'
      readonly orders?: readonly (readonly string[])[]
      readonly promotes?: boolean
    }
  /**
   * A step of a coordinated failover: the order to hand over, the release of the clients, or
   * calling it off.
   */
  | {
      readonly kind: 'handover'
      readonly part: 'order' | 'release' | 'callOff'
      readonly epoch: number
    }
  /** FENCE: to be told the history, or to make the node the master of the term. */
  | {
      readonly kind: 'fence'
      readonly group: string
      /** `settle`: what belongs to a promotion and may fail. */
      readonly part: 'handover' | 'ask' | 'promote' | 'settle'
      readonly epoch: number
    }
  /** CONFIG SET client-addresses: what a node tells clients from elsewhere. */
  | { readonly kind: 'clientAddresses'; readonly group: string }
  /** SCRIPT KILL, sent to an instance that is down because a script keeps it busy. */
  | { readonly kind: 'scriptKill' }
