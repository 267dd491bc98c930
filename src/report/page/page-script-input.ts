/** Mouse, touch and keys on the picture, its buttons, and links that point into it. */
export const INPUT_SCRIPT = String.raw`
const pointers = new Map()
let moved = false, isActive = false
const localX = (event) => event.clientX - svg.getBoundingClientRect().left

svg.addEventListener('wheel', (event) => {
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY)
  if (!isSideways && !isActive && !event.ctrlKey && !event.metaKey) return
  event.preventDefault()
  if (isSideways) { const by = event.deltaX / perMs(); view(from + by, until + by) }
  else zoom(Math.exp(-event.deltaY / 300), msOf(localX(event)))
}, { passive: false })

svg.addEventListener('pointerdown', (event) => {
  pointers.set(event.pointerId, localX(event))
  moved = false
  isActive = true
})
addEventListener('pointerup', (event) => pointers.delete(event.pointerId))
addEventListener('pointercancel', (event) => pointers.delete(event.pointerId))
svg.addEventListener('pointerleave', (event) => {
  if (pointers.size > 0) return
  isActive = false
  hideTip()
})
svg.addEventListener('pointermove', (event) => {
  const x = localX(event)
  if (pointers.has(event.pointerId)) drag(event, x)
  else hover(event, x)
})

function drag(event, x) {
  const before = pointers.get(event.pointerId)
  const other = [...pointers].find(([id]) => id !== event.pointerId)
  if (other === undefined && Math.abs(x - before) < 3 && !moved) return
  if (!moved) svg.setPointerCapture(event.pointerId)
  moved = true
  pointers.set(event.pointerId, x)
  if (other === undefined) {
    const by = (before - x) / perMs()
    view(Math.min(end - (until - from), Math.max(0, from + by)), Math.min(end, Math.max(until - from, until + by)))
  } else {
    const apart = Math.max(8, Math.abs(x - other[1])), was = Math.max(8, Math.abs(before - other[1]))
    zoom(apart / was, msOf((x + other[1]) / 2))
  }
}

const holders = new Map()
for (const one of [...lanes.flatMap((lane) => lane.marks), ...rules]) holders.set(one.element, one)

function hover(event, x) {
  const group = event.target.closest('.mark, .rule')
  const text = group ? holders.get(group).said : event.target.dataset.counts ? countAt(event.target, x) : event.target.dataset.tip
  if (text) showTip(text, event.clientX, event.clientY)
  else if (x > left) showTip(seconds(msOf(x)), event.clientX, event.clientY)
  else hideTip()
}
function countAt(element, x) {
  const step = Number(element.dataset.step)
  const place = Math.floor(msOf(x) / step)
  const count = element.dataset.counts.split(' ')[place]
  return element.dataset.client + ': ' + count + ' writes acknowledged in ' + step + ' ms\nfrom ' + seconds(place * step)
}

svg.addEventListener('click', (event) => {
  if (moved) return
  const group = event.target.closest('.mark, .rule')
  if (group) enter(holders.get(group))
  // A finger does not hover: what it touches is told now.
  if (!group || holders.get(group).many.length === 0) hover(event, localX(event))
})
svg.addEventListener('dblclick', (event) => zoom(3, msOf(localX(event))))

/** What stands for several opens; what is one is pinned. */
function enter(one) {
  if (one.many.length > 0) {
    const last = one.many[one.many.length - 1].at
    const room = Math.max(4, (last - one.at) * 0.3)
    view(one.at - room, last + room)
  } else { pinned = one.at; layCursor() }
}

plot.addEventListener('keydown', (event) => {
  const step = (until - from) / 5
  const keys = {
    '+': () => zoom(2), '=': () => zoom(2), '-': () => zoom(0.5), 0: () => view(0, end),
    PageUp: () => view(from - step, until - step), PageDown: () => view(from + step, until + step),
    ArrowRight: () => walk(1), ArrowLeft: () => walk(-1), ArrowDown: () => change(1), ArrowUp: () => change(-1),
    Enter: () => { const one = holders.get(document.activeElement); if (one) enter(one) },
    Escape: () => { pinned = undefined; hideTip(); layCursor() },
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return
  event.preventDefault()
  keys[event.key]()
})
const shown = () => [...holders.values()].filter((one) => !one.element.hasAttribute('hidden')).sort((a, b) => a.at - b.at)
function focusOn(one) {
  if (!one) return
  one.element.focus({ preventScroll: true })
  const box = one.element.getBoundingClientRect()
  showTip(one.said, box.left, box.bottom)
}
function walk(by) {
  settle()
  const list = shown()
  const place = list.findIndex((one) => one.element === document.activeElement)
  focusOn(place < 0 ? list[by > 0 ? 0 : list.length - 1] : list[place + by])
}
function change(by) {
  settle()
  const now = holders.get(document.activeElement)
  if (!now) return walk(1)
  const rows = [rules, ...lanes.map((lane) => lane.marks)].map((row) => row.filter((one) => !one.element.hasAttribute('hidden')))
  let place = rows.findIndex((row) => row.includes(now)) + by
  while (rows[place] && rows[place].length === 0) place += by
  if (rows[place]) focusOn(rows[place].reduce((best, one) => Math.abs(one.at - now.at) < Math.abs(best.at - now.at) ? one : best))
}
plot.addEventListener('focusout', hideTip)

for (const button of document.querySelectorAll('[data-zoom]')) button.addEventListener('click', () => zoom(Number(button.dataset.zoom)))
for (const button of document.querySelectorAll('button[data-from]')) button.addEventListener('click', () => view(Number(button.dataset.from), Number(button.dataset.until)))

const links = [...document.querySelectorAll('a[data-at]')]
for (const link of links) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    follow(link)
  })
  link.addEventListener('pointerenter', () => { pinned = Number(link.dataset.at); layCursor() })
}
function follow(link) {
  const { at, from: a, until: b, lane } = link.dataset
  pinned = Number(at)
  for (const one of links) one.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  for (const name of find('.name')) name.classList.toggle('current', name.dataset.lane === lane)
  view(Number(a), Number(b))
  const box = plot.getBoundingClientRect()
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  if (box.top < 0 || box.top > innerHeight * 0.6) plot.scrollIntoView({ block: 'start', behavior: isCalm ? 'auto' : 'smooth' })
}
`
