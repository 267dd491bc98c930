/** How `vedette up` and the members of its cluster talk to each other. */

/** Set for members only: the addresses all of them connect from, separated by commas. */
export const MEMBERS_VARIABLE = 'VEDETTE_UP_MEMBERS'

/** What the parent tells a member over their channel. */
export type Order = 'cut' | 'heal'
