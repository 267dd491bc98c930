import type { Logger } from './logger.ts'

/** For a host inside of another program, which takes every line as it is. */
export function bareLogger(log: Logger['log'] = () => undefined): Logger {
  return { log, setLevel: () => undefined, flush: () => undefined }
}
