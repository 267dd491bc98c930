/** The channel between `vedette up` and the members of its cluster. */

/** Set for members only: the addresses from which members connect, separated by commas. */
export const MEMBERS_VARIABLE = 'VEDETTE_UP_MEMBERS'

/** What the parent orders a member to do. */
export type Order = 'cut' | 'heal'
