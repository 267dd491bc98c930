/** Directives whose texts have a form of their own: percentiles, host names, the process title. */
import { cString } from '../../base/c-string.ts'
import { parseTable, tableText } from '../../base/network-addresses.ts'
import { parseDouble } from '../arguments/float-argument.ts'
import { accepted, refused, type SettingType } from './setting-types.ts'

/** A list of numbers from 0 to 100. */
export function percentiles(initial: string): SettingType<string> {
  const name = 'latency-tracking-info-percentiles'
  return {
    initial,
    access: 'mutable',
    parse(given) {
      const numbers = given === '' ? [] : given.split(' ').map(parseDouble)
      if (numbers.includes(undefined)) return refused(`Invalid ${name} parameters`)
      const isWithin = (value = 0) => value >= 0 && value <= 100
      if (numbers.every(isWithin)) return accepted(numbers.map(shown).join(' '))
      return refused(`${name} parameters should sit between [0.0,100.0]`)
    },
    format: String,
  }
}

/** C shows the sign of zero. */
function shown(value = 0): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

const MOST_OOM_SCORE = 2000

/** One number each for masters, replicas and forked children. */
export function oomScores(initial: string): SettingType<string> {
  return {
    initial,
    access: 'mutable',
    parse(given) {
      const words = given.split(' ')
      if (words.length !== 3) return refused('wrong number of arguments')
      const isScore = (word: string) =>
        /^-?\d{1,4}$/.test(word) && Math.abs(Number(word)) <= MOST_OOM_SCORE
      if (words.every(isScore)) return accepted(words.map(Number).join(' '))
      return refused(
        `Invalid oom-score-adj-values, elements must be between -${MOST_OOM_SCORE} and ${MOST_OOM_SCORE}.`,
      )
    },
    format: String,
  }
}

/** Where clients from other networks reach the members of the group: three words for each. */
export function addressTable(): SettingType<string> {
  return {
    initial: '',
    access: 'mutable',
    parse(given) {
      const table = parseTable(given)
      return typeof table === 'string' ? refused(table) : accepted(tableText(table))
    },
    format: String,
  }
}

const MAX_HOST_BYTES = 255

export function hostName(): SettingType<string> {
  return {
    initial: '',
    access: 'mutable',
    parse(given) {
      const name = cString(given)
      if (name.length > MAX_HOST_BYTES) return refused('Hostnames must be less than 256 characters')
      if (/^[a-z0-9.-]*$/i.test(name)) return accepted(name)
      return refused('Hostnames may only contain alphanumeric characters, hyphens or dots')
    },
    format: String,
  }
}

/** The placeholders that a title may have in braces; two opening braces stand for one. */
const TITLE_PARTS = /\{\{|\{(title|listen-addr|server-mode|port|tls-port|unixsocket|config-file)\}/g

export function processTitle(initial: string): SettingType<string> {
  return {
    initial,
    access: 'mutable',
    parse(given) {
      const title = cString(given)
      const isValid = title.trim() !== '' && !title.replace(TITLE_PARTS, '').includes('{')
      if (isValid) return accepted(title)
      return refused('template format is invalid or contains unknown variables')
    },
    format: String,
  }
}

const MAX_PORT = 65_535

/** `host port`, `no one`, or empty. With a port that is none the node would start as a master. */
export function masterAddress(): SettingType<string> {
  return {
    initial: '',
    access: 'immutable',
    parse(given) {
      const [host = '', port = '', ...more] = given.trim().split(/\s+/)
      if (host === '') return accepted('')
      if (port === '' || more.length > 0) return refused('wrong number of arguments')
      if (`${host} ${port}`.toLowerCase() === 'no one') return accepted('')
      const isPort = /^\d{1,5}$/.test(port) && Number(port) <= MAX_PORT
      return isPort ? accepted(`${host} ${Number(port)}`) : refused('Invalid master port')
    },
    format: String,
  }
}
