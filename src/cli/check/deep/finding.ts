/** What `vedette check --deep` says of one thing it looked at. */
export interface DeepFinding {
  readonly severity: 'problem' | 'warning' | 'passed'
  /** The heading it stands under: `certificates`, `group mymaster`, `Sentinels`. */
  readonly area: string
  /** The program or option that it is about; may be empty. */
  readonly where: string
  readonly text: string
  /** How to mend it; empty for what is well. */
  readonly hint: string
}

export type Say = (text: string, hint?: string) => DeepFinding

/** The three kinds of findings about one place. */
export interface FindingWords {
  readonly problem: Say
  readonly warning: Say
  readonly passed: Say
}

export function speakOf(area: string, where: string): FindingWords {
  const say = (severity: DeepFinding['severity']): Say => {
    return (text, hint = '') => ({ severity, area, where, text, hint })
  }
  return { problem: say('problem'), warning: say('warning'), passed: say('passed') }
}
