import { tlsReasonOf } from './tls/tls-reasons.ts'

/** Why a program could not start. The command line prints it and exits; nothing else catches it. */
export type StartErrorCode =
  | 'E_ACL_FILE'
  | 'E_ADDRESS_IN_USE'
  | 'E_ADDRESS_UNAVAILABLE'
  | 'E_AOF_IN_USE'
  | 'E_CONFIG_FILE'
  | 'E_CONTROL'
  | 'E_HTTP'
  | 'E_LEDGER'
  | 'E_LISTEN'
  | 'E_OPTIONS'
  | 'E_LOG_FILE'
  | 'E_RECORD'
  | 'E_REPORT_FILE'
  | 'E_SENTINEL'
  | 'E_START_FOLDER'
  | 'E_STATE_DAMAGED'
  | 'E_STATE_FOLDER'
  | 'E_STATE_IN_USE'
  | 'E_TLS'
  | 'E_WEBHOOK'

export class StartError extends Error {
  readonly code: StartErrorCode
  /** What the operator can do about it. */
  readonly hint: string
  /** What Redis writes into its log for it, where programs that start servers look for that. */
  readonly logLine: string | undefined

  constructor(code: StartErrorCode, message: string, hint: string, logLine?: string) {
    super(message)
    this.code = code
    this.hint = hint
    this.logLine = logLine
  }
}

/**
 * The part of a Node error that tells people what happened: `ECONNREFUSED`, `ENOENT`, or its text; for
 * a TLS fault, the reason in words.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = (error as NodeJS.ErrnoException).code
  return tlsReasonOf(error) ?? code ?? error.message
}

/** The same for a log: of a StartError, also what can be done about it. */
export function reasonAndHintOf(error: unknown): string {
  return error instanceof StartError ? `${error.message}; ${error.hint}` : reasonOf(error)
}
