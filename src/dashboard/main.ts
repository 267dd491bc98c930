/** The page at `/`: which group is shown, and what happens when the server says something. */
import type { ClusterDocument } from '../http/cluster-document.ts'
import { byId, say } from './dom.ts'
import { Feed } from './feed.ts'
import { drawGroup } from './group-page.ts'
import { drawGroups } from './groups.ts'
import { drawHistory } from './history.ts'
import { elsewhere, SIGN, span, verdictOn } from './sentences.ts'
import { drawSteering } from './steering.ts'
import type { ShownGroup } from './views.ts'

/** Figures older than this are said to be old. */
const STALE_MS = 6_000
const RESIZED_MS = 150

let cluster: ClusterDocument | undefined
let heardAtMs = 0
let trouble: string | undefined
let redraw: ReturnType<typeof setTimeout> | undefined

const feed = new Feed({
  onCluster(document) {
    if (document.program !== 'vedette-sentinel') return sayElsewhere(document)
    cluster = document
    heardAtMs = Date.now()
    byId('access').hidden = true
    draw()
  },
  onEvent() {},
  onTrouble(why) {
    trouble = why
    drawFeed()
  },
  onTokenWanted(wasRefused) {
    byId('access').hidden = false
    if (wasRefused) byId('access-why').textContent = 'The Sentinel did not accept this token.'
  },
})

byId<HTMLFormElement>('access').addEventListener('submit', (event) => {
  event.preventDefault()
  feed.useToken(byId<HTMLInputElement>('access-token').value)
})
// As a link it would take the place of the group in the address.
byId('skip').addEventListener('click', (event) => {
  event.preventDefault()
  byId('verdict').focus()
})
addEventListener('hashchange', draw)
addEventListener('resize', drawSoon)
setInterval(drawFeed, 1_000)
feed.start()

function sayElsewhere({ program }: { readonly program: string }): void {
  heardAtMs = Date.now()
  say(byId('source'), elsewhere(program))
}

function draw(): void {
  if (cluster === undefined) return
  const { host, port } = cluster.address
  say(byId('source'), `Sentinel ${host ?? location.hostname}:${port}, version ${cluster.version}`)
  const group = shownGroup(cluster)
  drawGroups(cluster, group)
  sayNoGroup(group)
  byId('group').hidden = group === undefined
  if (group !== undefined) {
    drawGroup(cluster, group)
    drawSteering(group)
    void drawHistory(group.name)
  }
  drawFeed()
}

/** The lanes are drawn for the width of the window, which changes many times while it is being dragged. */
function drawSoon(): void {
  clearTimeout(redraw)
  redraw = setTimeout(draw, RESIZED_MS)
}

/** The group in the address (`#mymaster`). Only an address without one means the first: orders go to what is shown. */
function shownGroup({ groups }: ClusterDocument): ShownGroup | undefined {
  const wanted = wantedGroup()
  return wanted === '' ? groups[0] : groups.find(({ name }) => name === wanted)
}

/** What stands in an address may be anything. */
function wantedGroup(): string {
  const name = location.hash.slice(1)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function sayNoGroup(shown: ShownGroup | undefined): void {
  const line = byId('no-group')
  line.hidden = shown !== undefined
  if (shown !== undefined) return
  const wanted = wantedGroup()
  const named = wanted === '' ? '' : ` called ${wanted}`
  say(line, `✗ This Sentinel watches no group${named}.`)
}

function drawFeed(): void {
  const ageMs = Date.now() - heardAtMs
  const isLive = heardAtMs > 0 && ageMs < STALE_MS && trouble === undefined
  const line = byId('feed')
  line.className = isLive ? 'live' : 'stale'
  say(line, isLive ? '● live' : staleText(ageMs))
  document.title = titleOf(isLive)
}

/** All that is seen of a tab behind others: it must not say for hours that all is well. */
function titleOf(isLive: boolean): string {
  const group = cluster && shownGroup(cluster)
  if (cluster === undefined) return 'Vedette'
  if (group === undefined) return `${SIGN.bad} Vedette`
  if (!isLive) return `${SIGN.bad} nothing heard: ${group.name} – Vedette`
  return `${SIGN[verdictOn(group, cluster.tilt).mood]} ${group.name} – Vedette`
}

function staleText(ageMs: number): string {
  const why = trouble === undefined ? '' : ` (${trouble})`
  if (heardAtMs === 0) return `✗ no answer yet${why}`
  return `✗ nothing heard for ${span(ageMs)}${why}: what you see is old`
}
