/**
 * What a Sentinel may ask of the world outside. The answer comes later, as an event: nothing waits for
 * a name server or a disk but the command or the connection that needs to know.
 */
export type Question =
  /** The address of a host name. */
  | { readonly kind: 'resolve'; readonly host: string }
  /** Is there a program at this path that we may run? */
  | { readonly kind: 'executable'; readonly path: string }
  /** [aclfile] Its text. */
  | { readonly kind: 'readAclFile' }
  /** [aclfile] Replace its text, safely on disk. */
  | { readonly kind: 'writeAclFile'; readonly text: string }

/** Of the same kind as the question; `failed` when there is none, with the reason in a few words. */
export type Answer =
  | { readonly kind: 'resolve'; readonly address: string }
  | { readonly kind: 'executable'; readonly isExecutable: boolean }
  | { readonly kind: 'readAclFile'; readonly text: string }
  | { readonly kind: 'writeAclFile' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Who asked, kept as data like the purpose of a command. */
export type InquiryPurpose =
  /** A command of a client, which is carried out once the answer is there. */
  | { readonly kind: 'command'; readonly client: number; readonly question: Question }
  /** The address of a host that instances live on. */
  | { readonly kind: 'name'; readonly host: string }
