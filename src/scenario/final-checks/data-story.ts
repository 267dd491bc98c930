/**
 * Every answer about a client's own databases must come from a state that they can have. The client
 * is alone there, so its requests in their order give every such state; the model of the data
 * (history/data) says which answer belongs to which. What asynchronous replication allows is all
 * that is allowed: on a new connection the client may find any state that ever was, a whole one,
 * with nothing missing before something that is there. On one connection the state only goes on.
 *
 * A request that was never answered leaves both possibilities, and may be carried out late by the
 * node to which it was sent. A key may live or die while clocks may disagree about it.
 */

import {
  type CarriedOut,
  type Holdings,
  NO_HOLDINGS,
  type Span,
} from '../../history/data/holdings.ts'
import { applyRequest, couldBecome, keysChangedBy, mayWrite } from '../../history/data/requests.ts'
import { describeTold, isRefusal, type Told } from '../../history/data/told.ts'
import { BESIDE, type Question, type Write } from '../../history/writes.ts'
import type { Violation } from '../result.ts'
import {
  byConnection,
  distinct,
  has,
  type PastConnection,
  type Replayed,
  type StoryStep,
  spanOf,
  type Version,
  wholeOf,
} from './data-version.ts'
import { isWholeScan, LastingNames, owedText, ScanStory } from './scan-story.ts'

/** What stands before the commands of a request, in words. */
const BEFORE = { command: '', transaction: 'MULTI; ', script: 'EVAL; ' } as const
/** Beyond this nothing can be said about the client any more. */
const WORK_MAX = 300_000
/** The same for states that are kept, or made in one step or search: each takes ten kilobytes and more. */
const VERSIONS_MAX = 12_000
/** So many candidates mean that nothing was looked at yet. */
const WIDE_FROM = 64
/** How many connections back a late request may have changed what is found now. */
const CONNECTIONS_BACK = 3
/** The late requests of so many connections may be carried out one after the other, in any order. */
const LATE_CONNECTIONS_MAX = 2
const CHECKER = 'data equals its model'

export interface StoryStart {
  readonly questions: readonly Question[]
  readonly endMs: number
  /** Whether a connection that led to this node may have shown another one's data in this span. */
  readonly mayHaveChanged: (node: string, span: Span) => boolean
  /** Whether the node may have kept keys whose time was over in this span. */
  readonly mayKeepDead: (node: string, span: Span) => boolean
  /** Whether the node may have had no memory left. */
  readonly mayBeFull: (node: string, span: Span) => boolean
  /** From then on clocks are wrong, and keys may die at any time. */
  readonly clocksFailAtMs: number
  /** After so many steps nothing more is said. */
  readonly workMax?: number
}

/** The story of one client's databases. */
export class DataStory {
  readonly violations: Violation[] = []
  readonly #start: StoryStart
  readonly #all: Version[] = [
    { holdings: NO_HOLDINGS, parent: undefined, question: undefined, answered: 0, twin: undefined },
  ]
  readonly #known = new Set(this.#all)
  #now: readonly Version[] = this.#all
  /** The answers of the present connection so far. */
  #steps: StoryStep[] = []
  /** Connections so far. */
  readonly #past: PastConnection[] = []
  #work = 0
  /** Requests without an answer, by the node to which they were sent, connection by connection. */
  readonly #afloat = new Map<string, Question[][]>()
  /** The versions after each request that was answered: it is kept in all that come from them. */
  readonly #after = new Map<Question, readonly Version[]>()
  readonly #scans: ScanStory
  /** The first page of the scan that goes on. */
  #scanned: Question | undefined

  constructor(start: StoryStart) {
    this.#start = start
    this.#scans = new ScanStory(start.questions)
    const isBeside = ({ connection }: Question): boolean => connection === BESIDE
    for (const questions of byConnection(start.questions.filter((one) => !isBeside(one)))) {
      if (this.#isOver) return
      this.#follow(questions)
    }
    for (const question of start.questions.filter(isBeside)) this.#takeBeside(question)
  }

  /** Nothing more can be said: something is wrong already, or too much is possible. */
  get #isOver(): boolean {
    if (this.violations.length > 0 || this.#all.length > VERSIONS_MAX) return true
    return this.#work > (this.#start.workMax ?? WORK_MAX)
  }

  /**
   * Which of the client's acknowledged writes are missing from the node that was asked about its
   * databases; undefined: nothing can be said.
   */
  missingIn(look: Question): ReadonlySet<Write> | undefined {
    if (this.#isOver) return undefined
    this.#now = this.#all
    this.#steps = []
    const fitting = this.#fitting(look)
    if (fitting.length === 0) {
      if (!isRefusal(look.answer?.told)) this.#accuse(look, `${look.node} holds in the end`)
      return undefined
    }
    // Of several ways to what is there nobody can tell which one it was: the one that loses least accuses nobody.
    const losses = fitting.map((version) => this.#lostOnTheWayTo(version))
    const lost = losses.reduce((least, some) => (some.size < least.size ? some : least))
    return lost.size > 0 && this.#mayHaveSwept() ? undefined : lost
  }

  /** What empties or exchanges databases late looks like the loss of everything before it. */
  #mayHaveSwept(): boolean {
    const open = [...this.#afloat.values()].flat(2)
    return open.some(({ request }) => keysChangedBy(request.commands) === undefined)
  }

  #lostOnTheWayTo(found: Version): ReadonlySet<Write> {
    const course = new Set<Version>()
    for (let one: Version | undefined = found; one !== undefined; one = one.parent) course.add(one)
    const lost = [...this.#after].filter(([, versions]) => !versions.some((one) => course.has(one)))
    return new Set(
      lost.flatMap(([{ write }]) => (write?.outcome.kind === 'acknowledged' ? [write] : [])),
    )
  }

  /** Everything that was asked over one connection. */
  #follow(questions: readonly Question[]): void {
    this.#now = this.#all
    this.#steps = []
    this.#scanned = undefined
    const sinceMs = questions[0]?.attemptedAtMs ?? 0
    const open: Question[] = []
    this.#past.push({ sinceMs, steps: this.#steps, open })
    for (const question of questions) {
      if (this.#isOver) return
      if (question.answer === undefined) open.push(question)
      else this.#take(question, question.answer.told, sinceMs)
    }
    if (open.length === 0) return
    this.#remember(this.#withOpenOnes(open, this.#now))
    const { node = '' } = open[0] ?? {}
    this.#afloat.set(node, [...(this.#afloat.get(node) ?? []), open])
  }

  #take(question: Question, told: Told, sinceMs: number): void {
    if (isRefusal(told)) return
    const { untilMs } = spanOf(question)
    const before = this.#now
    let next = this.#fitting(question)
    if (
      next.length === 0 &&
      this.#start.mayHaveChanged(question.node, { fromMs: sinceMs, untilMs })
    ) {
      this.#now = this.#all
      next = this.#fitting(question)
    }
    if (next.length === 0) return this.#accuse(question, `${question.node} answered`)
    this.#now = distinct(next, this.#wayOf(question))
    this.#remember(this.#now)
    this.#keep(question, this.#now)
    if (question.request.scan !== undefined) this.#scanned = this.#scans.firstAfter(question)
    this.#steps.push({ question, before })
  }

  /** Any node may have been asked: it had what the client's databases had at some time. */
  #takeBeside(question: Question): void {
    if (this.#isOver || isRefusal(question.answer?.told)) return
    this.#now = this.#all
    this.#steps = []
    if (this.#fitting(question).length > 0) return
    this.#accuse(question, `${question.node} showed beside`)
  }

  /** Requests of one connection are carried out in their order, each one or not. */
  #withOpenOnes(open: readonly Question[], from: readonly Version[]): readonly Version[] {
    const found = new Set<Version>()
    let versions = from
    for (const question of open) {
      if (this.#isTooMuch(found.size)) break
      const at = { fromMs: question.attemptedAtMs, untilMs: this.#start.endMs }
      versions = distinct(this.#apply(versions, question, at, undefined))
      for (const version of versions) found.add(version)
    }
    return [...found]
  }

  /** A search that ends early has not seen all that is possible. */
  #isTooMuch(versions: number): boolean {
    if (versions > VERSIONS_MAX) this.#work = Number.POSITIVE_INFINITY
    return this.#isOver
  }

  #remember(versions: readonly Version[]): void {
    for (const version of versions) {
      if (!this.#known.has(version)) this.#all.push(version)
      this.#known.add(version)
    }
  }

  /** The versions after the request that go with its answer. */
  #fitting(question: Question): readonly Version[] {
    const next = this.#apply(this.#now, question, spanOf(question), question.answer?.told)
    for (let most = 1; next.length === 0 && most <= LATE_CONNECTIONS_MAX; most++) {
      if (this.#isOver) break
      const late = this.#fittingLate(question, most)
      if (late.length > 0) return late
    }
    return next
  }

  /**
   * The same if requests of an earlier connection were carried out late: at any time in this one, or in
   * one before it, whose node then had writes that no client was told of. The answers since then must go with that.
   */
  #fittingLate(question: Question, most: number): readonly Version[] {
    const steps = [...this.#steps, { question, before: this.#now }]
    const found = wholeOf(this.#replayLate(question.node, steps, most), steps)
    if (found.length > 0) return found
    const { untilMs } = spanOf(question)
    const begun = this.#past.filter((past) => past.sinceMs <= untilMs)
    const earlier = begun.slice(-CONNECTIONS_BACK).flatMap((past) => {
      const node = past.steps[0]?.question.node ?? ''
      const replayed = this.#replayLate(node, past.steps, most)
      const all = replayed.map(({ version }) => version)
      return [...all, ...this.#withOpenOnes(past.open, wholeOf(replayed, past.steps))]
    })
    return wholeOf(this.#replay(earlier, steps), steps)
  }

  /** Every version that comes of late requests to the node, somewhere between these answers. */
  #replayLate(node: string, steps: readonly StoryStep[], most: number): readonly Replayed[] {
    let made = 0
    return steps.flatMap((step, place) => {
      // What the first look at everything showed was there before it, and needs no other place.
      const isWide = step.before.length > WIDE_FROM && place < steps.length - 1
      const lanes = this.#lanesBefore(node, step.question)
      if (this.#isTooMuch(made) || isWide || lanes.length < most) return []
      let versions = this.#within(lanes, step)
      for (let count = 0; count < most; count++) {
        versions = this.#withLateOnes(lanes, versions, step.question)
      }
      const replayed = this.#replay(versions, steps, place)
      made += replayed.length
      return replayed
    })
  }

  /** What becomes of versions that were there before an answer, up to where answers contradict them. */
  #replay(from: readonly Version[], steps: readonly StoryStep[], first = 0): readonly Replayed[] {
    const found = from.map((version) => ({ version, place: first }))
    let versions = from
    for (const [place, { question }] of steps.entries()) {
      if (place < first) continue
      versions = this.#apply(versions, question, spanOf(question), question.answer?.told)
      if (versions.length === 0) break
      this.#keep(question, versions)
      for (const version of versions) found.push({ version, place: place + 1 })
    }
    return found
  }

  #keep(question: Question, versions: readonly Version[]): void {
    this.#after.set(question, [...(this.#after.get(question) ?? []), ...versions])
  }

  #apply(
    versions: readonly Version[],
    question: Question,
    at: Span,
    told: Told | undefined,
  ): readonly Version[] {
    // What it would have shown nobody knows, and every key that may be dead by then would double what is possible.
    if (told === undefined && !mayWrite(question.request)) return versions
    const when = this.#when(at, question)
    const isWhole = told === undefined ? undefined : this.#wholeness(question, when)
    let made = 0
    return versions.flatMap((version) => {
      if (this.#isOver) return []
      const states = applyRequest(version.holdings, question.request, when, told, VERSIONS_MAX)
      this.#work += 1 + states.length
      made += states.length
      if (this.#isTooMuch(made)) return []
      const next = states.map((holdings) => this.#version(version, holdings, question))
      return isWhole === undefined ? next : next.filter(isWhole)
    })
  }

  /** While a scan goes on, versions differ in what it still has to show. */
  #wayOf(question: Question): ((version: Version) => string) | undefined {
    const first = this.#scanned
    if (first === undefined) return undefined
    const since = new Set(this.#after.get(first))
    const words = first.request.commands[0] ?? []
    const lasting = new LastingNames(words, since, this.#when(spanOf(question), question))
    return (version) => owedText(lasting.until(version))
  }

  /** What must be true of the versions after the last page of a scan. */
  #wholeness(question: Question, at: CarriedOut): ((last: Version) => boolean) | undefined {
    const pages = this.#scans.pagesUntil(question)
    const first = pages?.[0]
    if (pages === undefined || first === undefined) return undefined
    const span = { fromMs: first.attemptedAtMs, untilMs: at.untilMs }
    if (this.#start.mayHaveChanged(question.node, span)) return undefined
    const since = first === question ? undefined : new Set(this.#after.get(first))
    const lasting = new LastingNames(first.request.commands[0] ?? [], since, at)
    return (last) => isWholeScan(pages, lasting.until(last))
  }

  #when(span: Span, { node }: Question): CarriedOut {
    const { clocksFailAtMs, mayKeepDead, mayBeFull } = this.#start
    const doubts = { mayKeepDead: mayKeepDead(node, span), mayBeFull: mayBeFull(node, span) }
    return { areClocksRight: span.untilMs < clocksFailAtMs, ...span, ...doubts }
  }

  #version(before: Version, holdings: Holdings, question: Question): Version {
    // Between two requests the home database is selected.
    if (holdings.databases === before.holdings.databases) return before
    const answered = before.answered + (question.answer && question.write ? 1 : 0)
    return { holdings, parent: before, question, answered, twin: undefined }
  }

  /** The requests without an answer that went to the node before this one, connection by connection. */
  #lanesBefore(node: string, next: Question): readonly (readonly Question[])[] {
    // A node that was asked beside may have it all from others.
    if (next.connection === BESIDE) return [...this.#afloat.values()].flat()
    const lanes = this.#afloat.get(node) ?? []
    return lanes.filter((open) => (open[0]?.connection ?? 0) < next.connection)
  }

  /** The versions from which late requests alone may lead to what the next answer showed. */
  #within(
    lanes: readonly (readonly Question[])[],
    { before, question }: StoryStep,
  ): readonly Version[] {
    const changed = keysChangedBy(lanes.flat().flatMap(({ request }) => request.commands))
    if (changed === undefined || question.write !== undefined) return before
    this.#work += before.length
    const at = this.#when(spanOf(question), question)
    const { request, answer } = question
    return before.filter(({ holdings }) =>
      couldBecome(holdings, request, at, answer?.told, changed),
    )
  }

  /**
   * The versions after requests of one connection that were never answered, carried out late. A node
   * may have refused some of them first, without anyone hearing of it.
   */
  #withLateOnes(
    lanes: readonly (readonly Question[])[],
    before: readonly Version[],
    next: Question,
  ): readonly Version[] {
    const found = new Set<Version>()
    for (const open of lanes) {
      for (const [place, first] of open.entries()) {
        let versions: readonly Version[] = before.filter((version) => !has(version, first))
        const span = { fromMs: first.attemptedAtMs, untilMs: spanOf(next).untilMs }
        for (const question of open.slice(place)) {
          if (this.#isTooMuch(found.size)) return [...found]
          const late = this.#apply(versions, question, span, undefined)
          versions = distinct(late, this.#wayOf(next))
          for (const version of versions) found.add(version)
        }
      }
    }
    return [...found]
  }

  #accuse(question: Question, words: string): void {
    // A search that was cut short has not shown that there is nothing to find.
    if (this.#isOver) return
    const { client, request, answer, connection } = question
    const { commands, form } = request
    const asked = commands
      .slice(0, 4)
      .map((argv) => argv.slice(0, 4).join(' '))
      .join('; ')
    const told = describeTold(answer?.told)
    const text = `${words} ${told} to ${BEFORE[form]}${asked} of ${client} (connection ${connection}), which no state of its databases gives`
    this.violations.push({ atMs: answer?.atMs ?? this.#start.endMs, checker: CHECKER, text })
  }
}
