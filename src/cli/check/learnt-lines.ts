/**
 * What CONFIG REWRITE kept beside a redis.conf counts more than lines that were there then: those that have no effect
 * for that reason are told here, as the log of each start tells it.
 */
import { type ConfLine, lineNotice } from '../../config/conf-lines.ts'
import type { Problem } from '../../config/problem.ts'
import { LearntSettings } from '../../io/files/learnt-settings.ts'
import { StartError } from '../../io/start-error.ts'
import { canonical, Settings } from '../../server/settings/settings.ts'

/** `settings`: those of the file, which stay as they are. */
export function learntProblems(
  file: string,
  settings: Settings,
  directives: readonly ConfLine[],
): Problem[] {
  const path = `${file}.learnt`
  try {
    const names = learntNames(path, settings)
    return directives
      .filter((line) => names.has(canonical(line.directive)))
      .map((line) => overruled(line, path))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [damaged(path, error)]
  }
}

/** Which directives have another value than in the file. */
function learntNames(path: string, settings: Settings): ReadonlySet<string> {
  const inForce = new Settings()
  for (const [name, value] of settings.match('*')) inForce.set(name, value)
  inForce.markFiled()
  new LearntSettings(path).apply(settings.given(), (name, value) => inForce.set(name, value))
  return new Set(inForce.differing().keys())
}

function overruled(line: ConfLine, path: string): Problem {
  const notice = lineNotice(
    line,
    `has no effect: ${path}, which CONFIG REWRITE wrote, sets it, too`,
  )
  return {
    ...notice,
    code: 'W_NO_EFFECT',
    hint: 'change the line here, or use CONFIG SET and CONFIG REWRITE',
  }
}

function damaged(file: string, { message, hint }: StartError): Problem {
  const place = { file, line: undefined, column: undefined, path: '' }
  return { severity: 'error', code: 'E_STATE_DAMAGED', ...place, message, hint }
}
