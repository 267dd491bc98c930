/**
 * What a connection has become by its own commands, and what has to be said to another master so that the client
 * does not notice the change: its user, protocol, name, database, scripts and subscriptions. Only what a server has
 * accepted counts, so a command is noted when its answer was no error. Scripts are noted when they are sent: a server
 * keeps one that fails, too.
 */
import { encodeCommand } from '../resp/encode.ts'
import type { Protocol } from '../resp/reply.ts'
import { CarriedScripts, type ScriptShelf } from './carried-scripts.ts'

/** A command of the set-up, and how many replies it has. */
export interface SetUpStep {
  readonly argv: readonly string[]
  readonly replies: number
  /** The replies of a subscription are pushes in RESP3. A script may be refused: the client learns that from EVALSHA. */
  readonly about: 'connection' | 'script' | 'subscription'
}

/** A client with more is closed when the master changes, instead of being carried over. */
const MAX_SUBSCRIPTIONS = 10_000

type SubscriptionVerb = 'subscribe' | 'psubscribe' | 'ssubscribe'

const CONNECTION_TRAITS = ['setinfo', 'no-evict', 'no-touch', 'capa']
/** How many words of the command tell which trait it sets. */
const NAMED_BY: Readonly<Record<string, number>> = { setinfo: 3 }

export class CarriedState {
  protocol: Protocol = 2
  /** The client keeps copies that a server invalidates: another server would not, so it has to begin anew. */
  isTracking = false
  #auth: readonly string[] | undefined
  #name = ''
  #database = '0'
  /** CLIENT SETINFO and the like, by what they set. Most clients set nothing and subscribe to nothing. */
  #traits: Map<string, readonly string[]> | undefined
  #scripts: CarriedScripts | undefined
  #subscriptions: Subscriptions | undefined
  /** The same once all that is on its way has arrived. */
  #meant: Subscriptions | undefined
  #hasSubscribed = false
  /** More than we are ready to keep for another server. */
  get isTooMuch(): boolean {
    return this.subscriptions > MAX_SUBSCRIPTIONS || this.#scripts?.isTooMuch === true
  }

  get subscriptions(): number {
    if (this.#subscriptions === undefined) return 0
    const { subscribe, psubscribe, ssubscribe } = this.#subscriptions
    return subscribe.size + psubscribe.size + ssubscribe.size
  }

  /** Whether a server may send messages. */
  get hasSubscribed(): boolean {
    return this.#hasSubscribed
  }

  /**
   * (Un)subscribing is on its way: how many replies it will have. Without channels it is about all those that
   * are subscribed by then, those that are only on their way included.
   */
  subscribing(argv: readonly string[]): number {
    this.#hasSubscribed = true
    this.#meant ??= noSubscriptions()
    const meant = this.#meant[verbOf(argv)]
    const channels = argv.slice(1)
    const replies = channels.length || Math.max(1, meant.size)
    change(meant, argv)
    return replies
  }

  /** RESET is on its way. What is subscribed behind it, before its answer comes, stays meant. */
  resetting(): void {
    this.#meant = undefined
  }

  /** A server refused to subscribe: what was meant is what is. */
  subscriptionRefused(argv: readonly string[]): void {
    this.#meant ??= noSubscriptions()
    this.#meant[verbOf(argv)] = new Set(this.#subscriptions?.[verbOf(argv)])
  }

  /** A command about scripts is on its way. */
  scriptGiven(name: string, bytes: string, shelf: ScriptShelf): void {
    this.#scripts ??= new CarriedScripts()
    this.#scripts.given(name, bytes, shelf)
  }

  /** A server has answered this command without an error. */
  note(argv: readonly string[]): void {
    switch (argv[0]?.toLowerCase()) {
      case 'select':
        this.#database = argv[1] ?? '0'
        return
      case 'auth':
        this.#auth = argv
        return
      case 'hello':
        return this.#hello(argv)
      case 'client':
        return this.#client(argv)
      case 'reset':
        return this.#reset()
      case 'readonly':
      case 'readwrite':
        return this.#setTrait('readonly', argv)
      default:
        if (!/subscribe$/i.test(argv[0] ?? '')) return
        this.#subscriptions ??= noSubscriptions()
        change(this.#subscriptions[verbOf(argv)], argv)
    }
  }

  setUp(): readonly SetUpStep[] {
    const steps: (readonly string[])[] = []
    if (this.#auth !== undefined) steps.push(this.#auth)
    if (this.protocol === 3) steps.push(['HELLO', '3'])
    if (this.#name !== '') steps.push(['CLIENT', 'SETNAME', this.#name])
    if (this.#traits !== undefined) steps.push(...this.#traits.values())
    if (this.#database !== '0') steps.push(['SELECT', this.#database])
    return [
      ...steps.map((argv): SetUpStep => ({ argv, replies: 1, about: 'connection' })),
      ...this.#loading(),
      ...this.#subscribing(),
    ]
  }

  #loading(): readonly SetUpStep[] {
    const texts = [...(this.#scripts?.texts ?? [])]
    return texts.map((text) => ({ argv: ['SCRIPT', 'LOAD', text], replies: 1, about: 'script' }))
  }

  #subscribing(): readonly SetUpStep[] {
    const subscriptions = this.#subscriptions
    if (subscriptions === undefined) return []
    const verbs = Object.keys(subscriptions) as SubscriptionVerb[]
    return verbs.flatMap((verb): readonly SetUpStep[] => {
      const channels = [...subscriptions[verb]]
      if (channels.length === 0) return []
      const argv = [verb.toUpperCase(), ...channels]
      return [{ argv, replies: channels.length, about: 'subscription' }]
    })
  }

  #hello(argv: readonly string[]): void {
    if (argv[1] === '3') this.protocol = 3
    if (argv[1] === '2') this.protocol = 2
    for (let at = 2; at < argv.length; at++) {
      const word = argv[at]?.toLowerCase()
      if (word === 'auth') this.#auth = ['AUTH', argv[at + 1] ?? '', argv[at + 2] ?? '']
      if (word === 'setname') this.#name = argv[at + 1] ?? ''
      at += word === 'auth' ? 2 : 1
    }
  }

  #client(argv: readonly string[]): void {
    const word = argv[1]?.toLowerCase() ?? ''
    if (word === 'setname') this.#name = argv[2] ?? ''
    if (word === 'tracking') this.isTracking = argv[2]?.toLowerCase() === 'on'
    if (!CONNECTION_TRAITS.includes(word)) return
    const named = argv.slice(1, NAMED_BY[word] ?? 2).join(' ')
    this.#setTrait(named.toLowerCase(), argv)
  }

  #setTrait(name: string, argv: readonly string[]): void {
    this.#traits ??= new Map()
    this.#traits.set(name, argv)
  }

  #reset(): void {
    this.protocol = 2
    this.isTracking = false
    this.#auth = undefined
    this.#name = ''
    this.#database = '0'
    this.#traits = undefined
    this.#subscriptions = undefined
  }
}

export function encodeSetUp(steps: readonly SetUpStep[]): string {
  return steps.map(({ argv }) => encodeCommand(argv)).join('')
}

/** `PUNSUBSCRIBE` is about what `psubscribe` has subscribed. */
function verbOf(argv: readonly string[]): SubscriptionVerb {
  return (argv[0] ?? '').toLowerCase().replace('un', '') as SubscriptionVerb
}

type Subscriptions = Record<SubscriptionVerb, Set<string>>

function noSubscriptions(): Subscriptions {
  return { subscribe: new Set(), psubscribe: new Set(), ssubscribe: new Set() }
}

/** Without channels, all of them end. */
function change(set: Set<string>, argv: readonly string[]): void {
  const isEnd = /^[ps]?unsubscribe$/i.test(argv[0] ?? '')
  const channels = argv.slice(1)
  if (isEnd && channels.length === 0) set.clear()
  for (const channel of channels) {
    if (isEnd) set.delete(channel)
    else set.add(channel)
  }
}
