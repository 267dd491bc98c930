/**
 * One of our connections to an instance. Ids are never reused: what comes late from an old one is
 * dropped.
 */
export type LinkId = number
/** One connection of a client to us. */
export type ClientId = number
/** One question to the outside world; see `external-queries.ts`. */
export type InquiryId = number
/** One script to run, however often it is tried. */
export type JobId = number
