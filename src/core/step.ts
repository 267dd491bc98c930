/**
 * The Sentinel as a state machine: one event in, an ordered batch of effects out. It knows no
 * socket, no file and no clock; both clocks come with the event. Nothing is decided on a tick: each
 * fact re-evaluates at once what depends on it, and deadlines exist only for what can change by
 * itself.
 *
 * docs/sentinel.md follows a failover through the files.
 */
import { assert, unreachable } from '../base/assert.ts'
import type { Moment } from '../base/clock.ts'
import {
  clientClosed,
  clientDrained,
  clientOpened,
  clientReceived,
  resumeClient,
} from './clients/clients.ts'
import { noteLateness, noteNextDeadline } from './detection/lateness.ts'
import { checkClocks } from './detection/tilt.ts'
import { HELLO_CHANNEL } from './discovery/hello-format.ts'
import { receiveHello } from './discovery/hello-receive.ts'
import type { Effect } from './effect.ts'
import { considerFailover } from './election/failover-start.ts'
import { noteHookAnswer } from './election/hook-gate.ts'
import type { Event } from './event.ts'
import { questionKey } from './external-queries.ts'
import type { Answer, ExternalQuery } from './external-query.ts'
import type { ClientId, InquiryId, LinkId } from './ids.ts'
import { onLinkLost, onLinkUp } from './links/connections.ts'
import { findConnection } from './links/links.ts'
import { onNameAnswered } from './names/name-answers.ts'
import { onReloaded } from './persistence/reload.ts'
import { onSaved, onSaveFailed } from './persistence/save-outcome.ts'
import { onReply } from './replies.ts'
import { onScriptEnded, onScriptNotStarted, onScriptStarted } from './scripts/scripts.ts'
import type { State, Turn } from './state.ts'
import { emit, log } from './turn.ts'
import { onWake } from './wake.ts'

/** Handles one event. Synchronous; changes only `state`. */
export function step(state: State, now: Moment, event: Event): readonly Effect[] {
  const turn: Turn = { state, now, effects: [] }
  checkClocks(turn)
  noteLateness(state.tilt.late, now.monoMs)
  dispatch(turn, event)
  noteNextDeadline(state.tilt.late, nextWakeUpMs(state), now.monoMs)
  return turn.effects
}

/** When the machine wants its next `wake`, in monotonic milliseconds. */
export function nextWakeUpMs(state: State): number | undefined {
  return state.timers.nextMs()
}

function dispatch(turn: Turn, event: Event): void {
  switch (event.kind) {
    case 'wake':
      return onWake(turn)
    case 'linkUp':
    case 'linkLost':
    case 'reply':
    case 'message':
      return onLinkEvent(turn, event)
    case 'clientOpened':
      return clientOpened(turn, event)
    case 'received':
      return clientReceived(turn, event.client, event.bytes)
    case 'drained':
      return clientDrained(turn, event.client)
    case 'clientClosed':
      return clientClosed(turn, event.client)
    case 'saved':
      return onSaved(turn)
    case 'saveFailed':
      return onSaveFailed(turn, event.reason, event.dropped)
    case 'inquired':
      return onInquired(turn, event.inquiry, event.answer)
    case 'scriptStarted':
      return onScriptStarted(turn, event.job, event.pid)
    case 'scriptEnded':
      return onScriptEnded(turn, event.job, event)
    case 'scriptNotStarted':
      return onScriptNotStarted(turn, event.job, event.failed, event.reason)
    case 'reloaded':
      return onReloaded(turn, event.config, event.before)
    case 'stopRequested':
      return stop(turn)
    default:
      return unreachable(event)
  }
}

type LinkEvent = Extract<Event, { readonly link: LinkId }>

/**
 * Events of connections that we closed meanwhile are late, not wrong: nothing depends on them any
 * more.
 */
function onLinkEvent(turn: Turn, event: LinkEvent): void {
  const connection = findConnection(turn, event.link)
  if (connection === undefined) return
  switch (event.kind) {
    case 'linkUp':
      return onLinkUp(turn, connection, event.localHost)
    case 'linkLost':
      return onLinkLost(turn, connection, event)
    case 'reply':
      return onReply(turn, connection, event.purpose, event.reply)
    case 'message':
      connection.link.pubsubActiveAtMs = turn.now.monoMs
      if (event.channel === HELLO_CHANNEL) receiveHello(turn, event.payload)
      return
    default:
      return unreachable(event)
  }
}

function stop(turn: Turn): void {
  const { state } = turn
  state.stopping = true
  if (state.canSave) log(turn, 'notice', 'stopping: what had to be remembered is on disk already')
  else
    log(turn, 'warning', 'stopping: the state could not be saved, what came after it is forgotten')
  emit(turn, { kind: 'exit', status: 0 })
}

/** Hands the answers of the outside world to the mechanisms that asked. */
export function onInquired(turn: Turn, inquiry: InquiryId, answer: Answer): void {
  const { inquiries } = turn.state
  const purpose = inquiries.open.get(inquiry)
  assert(purpose !== undefined, 'an answer belongs to a question')
  inquiries.open.delete(inquiry)
  switch (purpose.kind) {
    case 'command':
      return answerClient(turn, purpose.client, purpose.question, answer)
    case 'name':
      return onNameAnswered(turn, purpose.host, answer)
    case 'preFailover':
      return onHookAnswered(turn, purpose.group, inquiry, answer)
    default:
      return unreachable(purpose)
  }
}

function answerClient(turn: Turn, id: ClientId, question: ExternalQuery, answer: Answer): void {
  const client = turn.state.clients.get(id)
  // The client may have gone while it waited.
  if (client === undefined) return
  client.answers.set(questionKey(question), answer)
  resumeClient(turn, client)
}

function onHookAnswered(turn: Turn, group: string, inquiry: InquiryId, answer: Answer): void {
  const answered = noteHookAnswer(turn, group, inquiry, answer)
  if (answered !== undefined) considerFailover(turn, answered)
}
