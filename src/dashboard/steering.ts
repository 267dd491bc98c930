/**
 * What an operator can do from the page. Nothing happens at the first click: a dialog says what is going to
 * be done, and for a failover what the Sentinel says would come of it (its own dry run).
 */

import { byId, element } from './dom.ts'
import { request } from './feed.ts'
import { addressOf, clock } from './sentences.ts'
import type { ShownGroup } from './views.ts'

const PAUSES: readonly (readonly [seconds: number, text: string])[] = [
  [600, '10 minutes'],
  [1_800, '30 minutes'],
  [3_600, '1 hour'],
  [14_400, '4 hours'],
]

const ANY_REPLICA = 'the best replica'

interface Order {
  readonly title: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly explanation: string
  readonly button: string
  /** The Sentinel is asked what would come of it, before it can be ordered. */
  readonly hasPlan?: boolean
}

/** A form is made anew only for another group, master or pause, so that what was chosen and typed stays. */
export function drawSteering(group: ShownGroup): void {
  const target = byId('steering')
  const failover = keptForm(target, 0, [group.name, addressOf(group.master)], () =>
    failoverForm(group),
  )
  offerReplicas(failover, group)
  keptForm(target, 1, [group.name, group.paused], () => pauseForm(group))
}

/** The form at this place, which is made where it is missing or was made for something else. */
function keptForm(
  target: HTMLElement,
  at: number,
  about: readonly unknown[],
  make: () => HTMLElement,
): HTMLElement {
  const old = target.children[at]
  const key = JSON.stringify(about)
  if (old instanceof HTMLElement && old.dataset.key === key) return old
  const form = make()
  form.dataset.key = key
  if (old === undefined) target.append(form)
  else old.replaceWith(form)
  return form
}

function failoverForm(group: ShownGroup): HTMLElement {
  const to = element('select')
  const coordinated = element('input', { type: 'checkbox', checked: true })
  const form = element(
    'form',
    {},
    element('label', {}, 'Fail over to', to),
    element('label', {}, coordinated, 'coordinated: the master hands over and loses no write'),
    element('button', { class: 'danger', type: 'submit' }, 'Fail over …'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const body = { group: group.name, ...(to.value === '' ? {} : { to: to.value }) }
    offerFailover(group, coordinated.checked ? 'switchover' : 'failover', body)
  })
  return form
}

/** A replica that was chosen stays chosen, even if it may not be promoted at present: the plan says why. */
function offerReplicas(form: HTMLElement, group: ShownGroup): void {
  const to = form.querySelector('select')
  if (to === null) return
  const chosen = to.value
  const offered = group.nodes
    .filter(({ role, notPromotable }) => role === 'replica' && notPromotable === null)
    .map(addressOf)
  const places = [...new Set(['', ...offered, chosen])]
  if (places.join() === [...to.options].map(({ value }) => value).join()) return
  to.replaceChildren(
    ...places.map((value) => element('option', { value }, value === '' ? ANY_REPLICA : value)),
  )
  to.value = chosen
}

function offerFailover(
  group: ShownGroup,
  path: 'failover' | 'switchover',
  body: Order['body'],
): void {
  const kind = path === 'switchover' ? 'a planned handover' : 'a failover without the master'
  offer({
    title: `Fail over ${group.name}`,
    path,
    body,
    explanation: `This is ${kind}, away from ${addressOf(group.master)}.`,
    button: 'Fail over now',
    hasPlan: true,
  })
}

function pauseForm(group: ShownGroup): HTMLElement {
  if (group.paused !== null) return resumeForm(group)
  const seconds = element(
    'select',
    {},
    ...PAUSES.map(([value, text]) => element('option', { value }, text)),
  )
  const reason = element('input', { maxlength: 200, placeholder: 'why, for the others' })
  const form = element(
    'form',
    {},
    element('label', {}, 'Pause automatic failover for', seconds),
    element('label', {}, 'because', reason),
    element('button', { type: 'submit' }, 'Pause …'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    offer({
      title: `Pause automatic failover of ${group.name}`,
      path: 'pause',
      body: { group: group.name, seconds: Number(seconds.value), reason: reason.value },
      explanation: 'If the master dies meanwhile, no Sentinel replaces it until the pause is over.',
      button: 'Pause now',
    })
  })
  return form
}

function resumeForm(group: ShownGroup): HTMLElement {
  const until = group.paused === null ? '' : ` Paused until ${clock(group.paused.untilMs)}.`
  const form = element('form', {}, element('button', { type: 'submit' }, 'Resume …'), until)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    offer({
      title: `Resume automatic failover of ${group.name}`,
      path: 'resume',
      body: { group: group.name },
      explanation: 'If the master is down, it is replaced at once.',
      button: 'Resume now',
    })
  })
  return form
}

/** Counts the dialogs: an answer that comes late belongs to none that was opened since. */
let opened = 0

function offer(order: Order): void {
  const { title, path, body, explanation, button, hasPlan = false } = order
  const own = ++opened
  const isOpen = () => own === opened
  byId('confirm-title').textContent = title
  byId('confirm-body').replaceChildren(paragraph(explanation))
  sayResult('', '')
  const action = byId<HTMLButtonElement>('confirm-do')
  action.textContent = button
  action.disabled = hasPlan
  action.onclick = async () => {
    action.disabled = true
    const { isDone, text } = await post(path, body, LATE_ORDER)
    if (!isOpen()) return
    sayResult(isDone ? 'good' : 'bad', `${isDone ? '✓' : '✗'} ${text}`)
    action.disabled = isDone
  }
  byId<HTMLDialogElement>('confirm').showModal()
  if (hasPlan) void showPlan(order, isOpen)
}

/** The dialog stands while the Sentinel is asked: one that hangs must not look like a click that went nowhere. */
async function showPlan({ path, body }: Order, isOpen: () => boolean): Promise<void> {
  const line = paragraph('Asking the Sentinel what would come of it …')
  byId('confirm-body').append(line)
  const plan = await post(path, { ...body, dryRun: true }, LATE_PLAN)
  if (!isOpen()) return
  line.textContent = plan.isDone ? plan.text : `✗ ${plan.text}`
  byId<HTMLButtonElement>('confirm-do').disabled = !plan.isDone
}

function paragraph(text: string): HTMLElement {
  return element('p', { class: 'plan' }, text)
}

function sayResult(mood: string, text: string): void {
  const result = byId('confirm-result')
  result.className = mood
  result.textContent = text
}

const ANSWER_MS = 5_000
const LATE = `The Sentinel does not answer: nothing came within ${ANSWER_MS / 1_000} s.`
const LATE_PLAN = `${LATE} Try again later, or on the page of another Sentinel.`
const LATE_ORDER = `${LATE} It may still carry the order out when it goes on; until then, look at the page of another Sentinel.`

/** What the Sentinel answered, in words, whatever it was. */
async function post(path: string, body: object, late: string): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_MS)
  try {
    const headers = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body), signal }
    const reply = await request(path, sent)
    return {
      isDone: reply.ok,
      text: wordsOf((await reply.json()) as Said),
    }
  } catch (error) {
    if (signal.aborted) return { isDone: false, text: late }
    return { isDone: false, text: error instanceof Error ? error.message : String(error) }
  }
}

interface Answer {
  readonly isDone: boolean
  readonly text: string
}

interface Said {
  readonly text: string
  /** A word, or what a dry run says. */
  readonly reply: unknown
}

interface Plan {
  readonly steps: readonly string[]
  readonly replicas: readonly { readonly address: string; readonly reason: string }[]
}

/** What would be done step by step, and why no other replica is promoted. */
function wordsOf({ text, reply }: Said): string {
  if (typeof reply === 'string') return reply
  if (!isPlan(reply)) return text
  const steps = reply.steps.map((step, at) => `${at + 1}. ${step}`)
  const others = reply.replicas.filter(({ reason }) => reason !== '')
  return [text, ...steps, ...others.map(({ address, reason }) => `${address}: ${reason}`)].join(
    '\n',
  )
}

function isPlan(reply: unknown): reply is Plan {
  return typeof reply === 'object' && reply !== null && 'steps' in reply && 'replicas' in reply
}
