/** Layout of the picture for the window of time that is shown. */
export const FIGURE_SCRIPT = String.raw`
const svg = document.getElementById('picture')
const plot = document.getElementById('plot-box')
const tip = document.getElementById('tip')
const end = Math.max(1, Number(svg.dataset.end))
const top = Number(svg.dataset.top)
const bottom = Number(svg.dataset.bottom)
const RIGHT = 16
const LEAST = 10
let from = 0, until = end, width = 0, left = 112, pinned = undefined
const find = (query) => [...svg.querySelectorAll(query)]
const num = (element, key) => Number(element.dataset[key])
const lanes = find('.lane').map((element) => ({
  name: element.dataset.lane,
  marks: [...element.querySelectorAll('.mark')].map((mark) => ({ element: mark, at: num(mark, 'at'), tip: mark.dataset.tip, many: [] })),
}))
const rules = find('.rule').map((element) => ({ element, at: num(element, 'at'), tip: element.dataset.tip, text: element.querySelector('text'), label: element.querySelector('text').textContent, many: [] }))
const boxes = find('rect[data-x0]').map((element) => ({ element, x0: num(element, 'x0'), x1: num(element, 'x1') }))
const labels = find('.bar-text').map((element) => ({ element, x0: num(element, 'x0'), x1: num(element, 'x1') }))
const titles = find('.name text').map((element) => ({ element, full: element.dataset.full, isHost: element.classList.contains('host') }))
const scaled = find('.scaled')
const cursor = document.getElementById('cursor')
const axis = document.getElementById('axis')
const range = document.getElementById('range')

const perMs = () => (width - left - RIGHT) / (until - from)
const xOf = (ms) => left + (ms - from) * perMs()
const msOf = (x) => from + (x - left) / perMs()
const show = (element, isShown) => { if (isShown) element.removeAttribute('hidden'); else element.setAttribute('hidden', '') }
const seconds = (ms) => (ms / 1000).toFixed(3) + ' s'

function make(name, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key])
  if (text !== undefined) element.textContent = text
  return element
}

function layout() {
  width = Math.max(240, plot.clientWidth)
  layTitles()
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + svg.dataset.height)
  svg.classList.toggle('narrow', width < 620)
  const area = document.getElementById('plot-area')
  area.setAttribute('x', left)
  area.setAttribute('width', width - left)
  layBoxes()
  for (const element of scaled) element.setAttribute('transform', 'translate(' + xOf(0) + ' 0) scale(' + perMs() + ' 1)')
  for (const lane of lanes) layMarks(lane.marks)
  layRules()
  layAxis()
  layCursor()
  range.textContent = seconds(from) + ' to ' + seconds(until)
}

/** The same room for names as page-scale.ts gives them; a narrow picture has smaller names, and no hosts. */
function layTitles() {
  const isNarrow = width < 620
  const margin = isNarrow ? 12 : 16
  const shown = titles.filter(({ isHost }) => !isNarrow || !isHost)
  const character = ({ isHost }) => isNarrow ? 7.4 : isHost ? 6 : 8
  const wanted = Math.max(...shown.map((title) => title.full.length * character(title) + margin))
  left = isNarrow ? Math.min(116, Math.max(40, wanted)) : Math.min(220, Math.max(112, wanted))
  for (const title of shown) title.element.textContent = shortenMiddle(title.full, Math.floor((left - margin) / character(title)))
}
function shortenMiddle(text, most) {
  if (text.length <= most) return text
  const head = Math.ceil((most - 1) / 2)
  return text.slice(0, head) + '\u2026' + text.slice(text.length - (most - 1 - head))
}

/** Bars are cut at the edges of the window, so that no browser meets huge numbers. */
function layBoxes() {
  for (const { element, x0, x1 } of boxes) {
    const a = Math.max(left - 4, xOf(x0)), b = Math.min(width + 4, xOf(x1))
    show(element, b > a)
    element.setAttribute('x', a)
    element.setAttribute('width', Math.max(0.75, b - a))
  }
  for (const { element, x0, x1 } of labels) {
    const a = Math.max(left, xOf(x0)), b = Math.min(width, xOf(x1))
    show(element, b - a > element.textContent.length * 6 + 10)
    element.setAttribute('x', a + 6)
  }
}

/** Marks that would cover each other become one with a number. */
function layMarks(marks) {
  let head
  for (const mark of marks) {
    const x = xOf(mark.at)
    const isIn = x >= left - 1 && x <= width
    const joins = isIn && head !== undefined && x - head.x < (head.many.length > 7 ? 22 : 15)
    mark.many = []
    mark.x = x
    if (joins) head.many.push(mark)
    show(mark.element, isIn && !joins)
    if (isIn && !joins) head = mark
  }
  for (const mark of marks) layPill(mark)
}

function layPill(mark) {
  const { element, many, x } = mark
  element.setAttribute('transform', 'translate(' + x + ' 9)')
  let pill = element.querySelector('.pill')
  element.classList.toggle('several', many.length > 0)
  tell(mark)
  if (many.length === 0) { if (pill) show(pill, false); return }
  if (!pill) {
    pill = make('g', { class: 'pill' })
    pill.append(make('rect', { rx: 7, y: -7, height: 14 }), make('text', { y: 3.5 }))
    element.append(pill)
  }
  show(pill, true)
  const count = String(many.length + 1)
  const size = 10 + count.length * 6
  pill.firstChild.setAttribute('x', -7)
  pill.firstChild.setAttribute('width', size)
  pill.lastChild.setAttribute('x', size / 2 - 7)
  pill.lastChild.textContent = count
}

/** Two lines of labels; what fits in neither is told by its tooltip only. */
function layRules() {
  const heads = joinRules()
  const free = [left, left]
  heads.forEach((rule, place) => {
    const { x, text, many } = rule
    text.textContent = many.length === 0 ? rule.label : rule.label + ' and ' + many.length + ' more'
    const size = text.textContent.length * 6.6 + 18
    const isLate = x + size > width
    const start = isLate ? x - size : x
    const next = heads[place + 1]
    // The first line also has the signs of the others.
    const isClear = isLate ? free[0] <= start : next === undefined || x + size < next.x - 6
    const line = isClear && free[0] <= start ? 0 : free[1] <= start ? 1 : -1
    show(text, line >= 0)
    if (line < 0) return
    free[line] = isLate ? x + 8 : x + size
    text.setAttribute('y', 12 + line * 17)
    text.setAttribute('x', isLate ? -9 : 9)
    text.setAttribute('text-anchor', isLate ? 'end' : 'start')
  })
}

/** The marks in the window, with enough distance between them to be distinguished. */
function joinRules() {
  const heads = []
  for (const rule of rules) {
    const x = xOf(rule.at)
    const isIn = x >= left - 1 && x <= width
    const head = heads[heads.length - 1]
    const joins = isIn && head !== undefined && x - head.x < 7
    rule.x = x
    rule.many = []
    show(rule.element, isIn && !joins)
    rule.element.setAttribute('transform', 'translate(' + x + ' 0)')
    if (joins) head.many.push(rule)
    else if (isIn) heads.push(rule)
  }
  for (const head of heads) tell(head)
  return heads
}

/** What a mark and those it stands for say, to eyes and ears. */
function tell(one) {
  const said = [one, ...one.many].slice(0, 8).map(({ tip }) => tip)
  if (one.many.length > 7) said.push('and ' + (one.many.length - 7) + ' more: zoom in')
  one.said = said.join('\n')
  one.element.setAttribute('aria-label', one.said)
}

function layAxis() {
  const most = Math.max(2, (width - left) / 72)
  const factors = [2, 2.5, 2]
  let step = 1
  for (let n = 0; (until - from) / step > most && n < 24; n++) step *= factors[n % 3]
  const lines = []
  for (let ms = Math.ceil(from / step) * step; ms <= until; ms += step) {
    const x = xOf(ms)
    const digits = step >= 1000 ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3
    lines.push(make('line', { class: 'grid', x1: x, x2: x, y1: top - 6, y2: bottom }))
    if (x < width - 14) lines.push(make('text', { class: 'tick', x, y: bottom + 18 }, (ms / 1000).toFixed(digits) + ' s'))
  }
  axis.replaceChildren(...lines)
}

function layCursor() {
  show(cursor, pinned !== undefined && pinned >= from && pinned <= until)
  if (pinned !== undefined) cursor.setAttribute('transform', 'translate(' + xOf(pinned) + ' 0)')
}

let asked = false
function view(a, b) {
  const length = Math.min(end, Math.max(LEAST, b - a))
  from = Math.min(end - length, Math.max(0, (a + b - length) / 2))
  until = from + length
  hideTip()
  if (asked) return
  asked = true
  requestAnimationFrame(settle)
}
/** The layout that was asked for, now. */
function settle() {
  if (!asked) return
  asked = false
  layout()
}
function zoom(factor, aroundMs) {
  const around = aroundMs === undefined ? (pinned !== undefined && pinned > from && pinned < until ? pinned : (from + until) / 2) : aroundMs
  const length = Math.min(end, Math.max(LEAST, (until - from) / factor))
  const a = around - (around - from) * (length / (until - from))
  view(a, a + length)
}
function hideTip() { tip.hidden = true }
function showTip(text, x, y) {
  tip.textContent = text
  tip.hidden = false
  const box = plot.getBoundingClientRect()
  tip.style.left = Math.max(0, Math.min(x - box.left + 12, box.width - tip.offsetWidth)) + 'px'
  const below = y - box.top + 18
  tip.style.top = (below + tip.offsetHeight > box.height + 40 ? y - box.top - tip.offsetHeight - 12 : below) + 'px'
}
addEventListener('resize', layout)
layout()
`
