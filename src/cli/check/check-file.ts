/** A configuration file, with all that can be said of it without asking another machine. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { utf8Text } from '../../base/utf8.ts'
import { advise } from '../../config/check.ts'
import { adviseEpochs, type EpochPlace } from '../../config/check-epochs.ts'
import { adviseNode } from '../../config/check-node.ts'
import { readConfLines } from '../../config/conf-lines.ts'
import { NO_OUTSIDE } from '../../config/config-filesystem.ts'
import { goneOnSince } from '../../config/gone-on.ts'
import { ignoredLines } from '../../config/ignored-lines.ts'
import { overriddenLines } from '../../config/overridden-lines.ts'
import { inFileOrder, type Problem } from '../../config/problem.ts'
import { parseRedisConf } from '../../config/redis-conf.ts'
import { isYml, locationOf, type SentinelFile } from '../../config/sentinel-file.ts'
import { nodeOutside } from '../../io/files/config-filesystem.ts'
import { Settings } from '../../server/settings/settings.ts'
import { readTextFile } from '../files.ts'
import { readSentinelFile, type SentinelSource } from '../sentinel/sentinel-config.ts'
import { isUsual, nodeDirectives } from '../server/node-directives.ts'
import { UserLines } from '../server/node-users.ts'
import { learntProblems } from './learnt-lines.ts'
import { problemsOfNode, problemsOfSentinel, savedState, statePath } from './machine.ts'

/** A configuration with all that can be said of it without asking another machine. */
export interface CheckedFile {
  readonly problems: readonly Problem[]
  /** Undefined if it cannot be read as such, or is of the other kind. */
  readonly sentinel?: SentinelFile
  readonly node?: Settings
}

/** A Sentinel's file is recognised by its name, or by a line that no other file has. */
export async function checkFile(path: string, elsewhere: boolean): Promise<CheckedFile> {
  if (isYml(path)) return await checkSentinelFile({ path, overrides: [], elsewhere })
  const text = readTextFile(path, 'latin1')
  const isSentinels = /^[ \t\r]*sentinel\s/im.test(text) || /sentinel[^/\\]*$/i.test(path)
  if (isSentinels) return await checkSentinelFile({ path, overrides: [], text, elsewhere })
  return await checkRedisConf(path, text, elsewhere)
}

async function checkSentinelFile(source: SentinelSource): Promise<CheckedFile> {
  const parsed = readSentinelFile(source)
  if (!parsed.ok) return { problems: parsed.problems }
  const { path, elsewhere } = source
  const file = parsed.value
  // What a Sentinel has learnt here, such as its peers, is newer than what the file remembers.
  const saved = elsewhere ? undefined : savedState(file, path)
  const fromFile = saved === undefined ? file.learnt : goneOnSince(saved, file.learnt)
  const learnt = fromFile ?? saved
  const here = elsewhere ? [] : await problemsOfSentinel(file, path)
  const epochs = [
    ...adviseEpochs(fromFile && file.learnt, (name) => lineOf(file, name)),
    ...adviseEpochs(saved, (name) => inState(statePath(file, path), name)),
  ]
  const { text } = source
  const overridden = text === undefined ? [] : overriddenLines(readConfLines(text, path).lines)
  const lines = inFileOrder([...parsed.warnings, ...overridden])
  const problems = [...lines, ...advise({ ...file, learnt }), ...epochs, ...here]
  return { problems, sentinel: { ...file, learnt } }
}

function lineOf(file: SentinelFile, name: string): ReturnType<EpochPlace> {
  return { file: file.name, ...locationOf(file, name) }
}

/** It has no line that a person could change. */
function inState(stateFile: string, name: string): ReturnType<EpochPlace> {
  return { file: stateFile, line: undefined, column: undefined, path: utf8Text(name) }
}

async function checkRedisConf(
  path: string,
  text: string,
  elsewhere: boolean,
): Promise<CheckedFile> {
  const settings = new Settings()
  const here = nodeOutside(process.cwd())
  const outside = elsewhere ? { ...NO_OUTSIDE, include: here.include } : here
  const users = new UserLines()
  const load = nodeDirectives(settings, users, outside)
  const known = settings.match('*').map(([name]) => name)
  const { problems, directives } = parseRedisConf(text, path, [], load, known, outside)
  const advice = adviseNode({
    file: path,
    lines: directives,
    settings,
    users: users.lines,
    isThere: (name) => existsSync(resolve(utf8Text(settings.text('dir')), utf8Text(name))),
  })
  const ignored = ignoredLines(directives, isUsual(settings))
  const overridden = overriddenLines(readConfLines(text, path, outside).lines)
  const isRead = problems.every(({ severity }) => severity !== 'error')
  const isHere = isRead && !elsewhere
  const learnt = isHere ? learntProblems(path, settings, directives) : []
  const found = isHere ? await problemsOfNode(path, settings, users, directives) : []
  return {
    problems: [...problems, ...overridden, ...learnt, ...advice, ...ignored, ...found],
    ...(isRead ? { node: settings } : {}),
  }
}
