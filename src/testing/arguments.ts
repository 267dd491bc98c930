/**
 * What a test may hand to a cluster. Types hold most of it, but a test may be JavaScript, and a number may be
 * none: a wrong argument is refused with a TypeError that says what is wrong and what is right, before
 * anything is done.
 */
import { didYouMean } from '../config/suggest.ts'
import { type DirectiveMatter, decidedMatter } from '../scenario/language/decided-directives.ts'

/** Node's timers fire at once if they are to wait longer. */
const MOST_MS = 2 ** 31 - 1

/** Refuses what is no object, and names that nothing would look at. */
export function checkNames(about: string, value: unknown, known: readonly string[]): void {
  if (!isObject(value)) throw new TypeError(`${about}: an object, not ${shown(value)}`)
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const near = didYouMean(unknown, known)
  const there = near === '' ? 'there are' : `${near} There are`
  throw new TypeError(`${about}: there is no option '${unknown}'; ${there} ${known.join(', ')}`)
}

/** One of the known words. */
export function checkWord(about: string, value: unknown, known: readonly string[]): void {
  if (known.some((word) => word === value)) return
  throw new TypeError(`${about}: one of ${known.join(', ')}, not ${shown(value)}`)
}

/** An option that is `undefined` was not given. */
export function givenOf<Options extends object>(options: Options): Given<Options> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Given<Options>
}

type Given<Options> = { [Name in keyof Options]?: Exclude<Options[Name], undefined> }

/** An option that is on or off: 'no' would be on. */
export function checkSwitch(about: string, value: unknown): void {
  if (typeof value === 'boolean') return
  throw new TypeError(`${about}: true or false, not ${shown(value)}`)
}

export function checkMs(about: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0 && value <= MOST_MS) return
  throw new TypeError(`${about}: milliseconds from 0 to ${MOST_MS}, not ${shown(value)}`)
}

export function checkText(about: string, value: unknown): void {
  if (typeof value === 'string') return
  throw new TypeError(`${about}: a text, not ${shown(value)}`)
}

/** An unset variable would be a seed that nobody has chosen. */
export function checkSeed(value: unknown): void {
  checkText('seed', value)
  if (value === '') throw new TypeError(`seed: a number or a word, such as '7', not ''`)
}

/** The contents of a file. Its name is a text, too, and would be read as a file of one word. */
export function checkContents(about: string, value: unknown): void {
  checkText(about, value)
  if (!/^[^\n:]+\.(?:ya?ml|conf)$/.test(String(value))) return
  const remedy = `readFileSync('${value}', 'utf8')`
  throw new TypeError(`${about}: what stands in the file, ${remedy}, not its name`)
}

export function checkTexts(about: string, value: unknown): void {
  if (!Array.isArray(value)) throw new TypeError(`${about}: a list of texts, not ${shown(value)}`)
  for (const text of value) checkText(about, text)
}

/** Names with texts, such as directives. A Map has no names that could be seen. */
export function checkTextsByName(about: string, value: unknown): void {
  if (!isObject(value) || value instanceof Map)
    throw new TypeError(`${about}: names with texts, not ${shown(value)}`)
  for (const [name, text] of Object.entries(value)) checkText(`${about}: ${name}`, text)
}

/** What decides a directive in place of a test, and what to say of it; a test may set those that are not named. */
export type DecidedMatters = Readonly<Partial<Record<DirectiveMatter, string | undefined>>>

/** `where`: for what the directives are, with its article. */
export function checkDirectives(
  where: string,
  directives: Readonly<Record<string, string>>,
  decided: DecidedMatters,
): void {
  checkTextsByName('directives', directives)
  for (const name of Object.keys(directives)) {
    const matter = decidedMatter(name)
    const reason = matter && decided[matter]
    if (reason !== undefined)
      throw new TypeError(`directives: ${name} is not for ${where}: ${reason}`)
  }
}

export function checkCount(about: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
  throw new TypeError(`${about}: a whole number ${range}, not ${shown(value)}`)
}

/** As it would be written in a test. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  return isObject(value) ? 'an object' : String(value)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
