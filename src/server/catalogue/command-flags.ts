/**
 * The words by which the spec of a command says how the node treats it. Where Redis has such a
 * word, it is the same; words are separated by blanks, in the order in which COMMAND lists them. An
 * unknown word does not compile.
 */

/** Flags that the node uses and COMMAND does not show. */
const INTERNAL_FLAGS = [
  /** [enable-debug-command] says which clients may run it. */
  'protected',
  /**
   * A command without keys whose effects may reach replicas, so a pause of writes holds it back.
   */
  'may_replicate',
  /** Replicas get it, the append-only file does not: it changes nothing that could be kept. */
  'message',
  /** Replication streams and append-only files hold it around or between their writes. */
  'frame',
  /** Streams and files of servers before 7.0 hold it: a script that they may name by its digest later. */
  'keeps_script',
  /** It runs at once inside MULTI. */
  'not_queued',
  /** It runs the queue of the transaction, so the facts about the queued commands apply to it. */
  'runs_queue',
  /** It runs a script, whose commands pass gates of their own. */
  'runs_script',
  /** A RESP2 client that is subscribed may send it. */
  'subscribed',
  /** It is refused like a write while the disk takes no data. */
  'needs_disk',
  /** Looking up a key does not count as using it, see usage.ts. */
  'no_touch',
  /** Subscribers are not told of the keys it misses. */
  'no_miss_event',
  /** It uses its keys even after CLIENT NO-TOUCH. */
  'always_touch',
  /** It meets keys that no argument named, so replicas are told of each expired key on its own. */
  'touches_arbitrary_keys',
  /**
   * It does a step of work for each word, as every `fast` command does, so the data grow by about
   * what was sent.
   */
  'grows_by_input',
] as const

export type FlagWord =
  | (typeof INTERNAL_FLAGS)[number]
  | 'admin'
  | 'allow_busy'
  | 'asking'
  | 'blocking'
  | 'denyoom'
  | 'fast'
  | 'loading'
  | 'no_mandatory_keys'
  | 'no_async_loading'
  | 'no_auth'
  | 'no_multi'
  | 'noscript'
  | 'pubsub'
  | 'readonly'
  | 'skip_monitor'
  | 'skip_slowlog'
  | 'stale'
  | 'write'

/** `Text` if all its words are flags, otherwise a type that names the words that are not. */
export type FlagText<Text extends string> = [StrayWord<Text>] extends [never]
  ? Text
  : { readonly 'no flag of a command': StrayWord<Text> }

type StrayWord<Text extends string> = Text extends `${infer Word} ${infer Rest}`
  ? Exclude<Word, FlagWord> | StrayWord<Rest>
  : Exclude<Text, FlagWord | ''>

/** The flags that COMMAND shows. */
export function shownFlags(flags: readonly FlagWord[]): FlagWord[] {
  return flags.filter((flag) => !(INTERNAL_FLAGS as readonly FlagWord[]).includes(flag))
}

export function flagsOf(text: string): readonly FlagWord[] {
  return text === '' ? [] : (text.split(' ') as FlagWord[])
}
