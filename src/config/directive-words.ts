/** How the words of ordinary directives are read, and what Redis says when they are wrong. */
import { parseInt64 } from '../base/decimal.ts'
import { yesOrNo } from './lenient.ts'
import { type Draft, type Objection, refusal } from './sentinel-draft.ts'

export type DirectiveWords = readonly string[]
/** What a directive does with its words; returns an objection, or undefined if all is well. */
export type Apply = (draft: Draft, words: DirectiveWords) => Objection | undefined

/** A directive with exactly one word. */
export function one(apply: (draft: Draft, word: string) => Objection | undefined): Apply {
  return (draft, [word, ...more]) =>
    word === undefined || more.length > 0 ? WRONG_NUMBER : apply(draft, word)
}

export function flag(set: (draft: Draft, isOn: boolean) => void): Apply {
  return one((draft, text) => {
    const isOn = yesOrNo(text)
    if (isOn === undefined) return NOT_YES_OR_NO
    set(draft, isOn)
    return undefined
  })
}

export function integer(
  min: number,
  max: number,
  set: (draft: Draft, value: number) => void,
): Apply {
  return one((draft, text) => {
    const value = parseInt64(text)
    if (value === undefined) return refusal('E_TYPE', "argument couldn't be parsed into an integer")
    if (value < min || value > max) {
      return refusal('E_RANGE', `argument must be between ${min} and ${max} inclusive`)
    }
    set(draft, Number(value))
    return undefined
  })
}

/** Accepts any of `words`; `shown` are the words Redis lists in its error. */
export function oneOf<Word extends string>(
  words: readonly Word[],
  shown: readonly Word[],
  set: (draft: Draft, word: Word) => Objection | undefined,
): Apply {
  return one((draft, text) => {
    const word = words.find((candidate) => candidate === text.toLowerCase())
    if (word !== undefined) return set(draft, word)
    const list = shown.join(', ')
    return refusal('E_VALUE', `argument(s) must be one of the following: ${list}`)
  })
}

export const WRONG_NUMBER = refusal('E_TYPE', 'wrong number of arguments')
const NOT_YES_OR_NO = refusal('E_TYPE', "argument must be 'yes' or 'no'")
