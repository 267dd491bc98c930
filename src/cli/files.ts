import { accessSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readText } from '../io/files/text-file.ts'
import { reasonOf, StartError } from '../io/start-error.ts'

/** A YAML parser needs a hundred times the bytes that it reads. */
const MAX_YML_BYTES = 4 * 1024 * 1024

/**
 * Reads a file that the user named, `-` for standard input. Throws a StartError that names the file
 * and says what is wrong.
 */
export function readTextFile(path: string, encoding: 'utf8' | 'latin1', maxBytes?: number): string {
  const text = read(path, encoding, maxBytes)
  const zeroAt = text.indexOf('\0')
  if (zeroAt < 0) return text
  throw unreadable(path, `it is no text: byte ${zeroAt} is zero`, HINT)
}

/** A configuration or a scenario in YAML. */
export function readYmlFile(path: string): string {
  return readTextFile(path, 'utf8', MAX_YML_BYTES)
}

const HINT = 'check the name: it has to be a text file, or a pipe a text comes from'

function read(path: string, encoding: 'utf8' | 'latin1', maxBytes?: number): string {
  try {
    return readText(path, encoding, maxBytes)
  } catch (error) {
    const reason = reasonOf(error)
    if (!/^E[A-Z]+$/.test(reason)) throw unreadable(path, reason, HINT)
    throw unreadable(path, fileReason(error), 'check the name, and that this user may read it')
  }
}

/** Why a file cannot be read, after `cannot read NAME: `. */
export function fileReason(error: unknown): string {
  const reason = reasonOf(error)
  return reason === 'ENOENT' ? 'there is no such file' : reason
}

function unreadable(path: string, reason: string, hint: string): StartError {
  const name = path === '-' ? 'standard input' : path
  return new StartError('E_CONFIG_FILE', `cannot read ${name}: ${reason}`, hint)
}

/** What holds passwords or the data of applications is for this user alone, as where it came from. */
export const PRIVATE_MODE = 0o600
const USUAL_MODE = 0o666

/** Writes a file that the user named. Throws a StartError that says why it cannot be written. */
export function writeResult(path: string, content: string | Buffer, mode = USUAL_MODE): void {
  orSay(path, () => writeFileSync(path, content, { mode }))
}

/** The same in a folder that is made if need be. */
export function writeResultIn(path: string, content: string): void {
  orSay(path, () => {
    makeFolder(dirname(path))
    writeFileSync(path, content)
  })
}

/** With its parents. Node's own way (`recursive`) never returns in /proc, and calls a read-only disk ENOENT. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

function orSay(path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** The error of a result that could not be written, with a remedy that fits its reason. */
export function unwritable(path: string, error: unknown): StartError {
  const reason = reasonOf(error)
  const isFull = reason === 'ENOSPC' || reason === 'EDQUOT'
  const words = isFull ? `the disk is full (${reason})` : reason
  const hint = isFull
    ? 'make room, or name a place on another disk: what is there now is not complete'
    : 'name a file in a folder that this user may write to'
  return new StartError('E_REPORT_FILE', `cannot write ${path}: ${words}`, hint)
}

/** Makes a folder for results before there are any. Throws a StartError, also where it is there and takes none. */
export function makeResultFolder(path: string): void {
  orSay(path, () => {
    makeFolder(path)
    accessSync(path, constants.W_OK)
  })
  if (statSync(path).isDirectory()) return
  throw new StartError('E_REPORT_FILE', `${path} is a file`, 'name a folder, or one to be made')
}
