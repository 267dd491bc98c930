/**
 * The links to the groups. A handful stand side by side, as they are; of many, those that need somebody come first, the
 * others are folded away, and a line counts them all.
 */
import type { ClusterDocument } from '../http/cluster-document.ts'
import { byId, element, renew, say } from './dom.ts'
import { FEW_GROUPS, type GroupInMood, inSight, SIGN, tally, verdictOn } from './sentences.ts'
import type { ShownGroup } from './views.ts'

export function drawGroups({ groups, tilt }: ClusterDocument, shown: ShownGroup | undefined): void {
  const all = groups.map((group) => ({ group, mood: verdictOn(group, tilt).mood }))
  const isNeeded = all.length > 1 || shown === undefined
  const focused = document.activeElement
  const linked = isNeeded ? inSight(all, shown) : []
  renew(byId('groups'), ...linked.map((one) => link(one, shown)))
  const folded = all.length > FEW_GROUPS ? all : []
  byId('all-groups').hidden = folded.length === 0
  say(byId('all-groups-title'), tally(all))
  renew(byId('all-groups-links'), ...folded.map((one) => link(one, shown)))
  if (focused instanceof HTMLAnchorElement && !focused.isConnected) focusOn(focused)
}

function link({ group, mood }: GroupInMood, shown: ShownGroup | undefined): HTMLElement {
  const href = `#${encodeURIComponent(group.name)}`
  const current = group === shown ? 'page' : undefined
  const text = `${SIGN[mood]} ${group.name}`
  return element('a', { href, class: mood, 'aria-current': current }, text)
}

/** Groups before this one have come or gone. Whoever has read on below is not to be brought back to the link. */
function focusOn({ href }: HTMLAnchorElement): void {
  const link = [...document.querySelectorAll<HTMLAnchorElement>('nav a')].find(
    (one) => one.href === href,
  )
  link?.focus({ preventScroll: true })
}
