/** One connection of ours to an instance. Never reused: what comes late from an old one is dropped. */
export type LinkId = number
/** One connection of a client to us. */
export type ClientId = number
