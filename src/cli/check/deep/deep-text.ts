/** The findings of `vedette check --deep` for people and for scripts. */

import type { Problem } from '../../../config/problem.ts'
import { colors as pc } from '../../colors.ts'
import type { DeepFinding } from './finding.ts'

export interface DeepReport {
  readonly file: string
  readonly findings: readonly DeepFinding[]
  /** False if the time was over before everything had been asked. */
  readonly isComplete: boolean
  readonly tookMs: number
}

/** Readable without colour. */
const MARKS = {
  problem: pc.red('✗'),
  warning: pc.yellow('!'),
  passed: pc.green('✓'),
} as const

const ORDER = ['problem', 'warning', 'passed'] as const

/** Areas in the order in which they were looked at; in each what must be mended comes first. */
export function deepText(report: DeepReport): string {
  const areas = [...new Set(report.findings.map(({ area }) => area))]
  const parts = areas.map((area) => {
    const here = report.findings.filter((finding) => finding.area === area)
    const lines = ORDER.flatMap((severity) => here.filter((one) => one.severity === severity))
    return [pc.bold(area), ...lines.flatMap(linesOf)].join('\n')
  })
  return `${[...parts, summary(report)].join('\n\n')}\n`
}

function linesOf({ severity, where, text, hint }: DeepFinding): string[] {
  const line = `  ${MARKS[severity]} ${[where, text].filter((part) => part !== '').join(': ')}`
  return hint === '' ? [line] : [line, pc.dim(`      → ${hint}`)]
}

function summary({ file, findings, isComplete, tookMs }: DeepReport): string {
  const count = (severity: DeepFinding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length
  const counts = [
    `${count('problem')} ✗ must be fixed`,
    `${count('warning')} ! deserve a look`,
    `${count('passed')} ✓ in order`,
  ]
  const end = isComplete ? '' : '; not everything was asked, raise --timeout'
  return `${file}: ${counts.join(', ')} (${(tookMs / 1_000).toFixed(1)} s)${end}`
}

/** One JSON object. */
export function deepJson({ file, findings, isComplete, tookMs }: DeepReport): string {
  const status = exitStatusOf({ findings, isComplete })
  return JSON.stringify({ file, status, isComplete, tookMs, findings }, null, 2)
}

/** 0 all is well, 1 something should be looked at or was not asked, 2 something must be mended. */
export function exitStatusOf({
  findings,
  isComplete,
}: Pick<DeepReport, 'findings' | 'isComplete'>): number {
  if (findings.some(({ severity }) => severity === 'problem')) return 2
  const isClean = findings.every(({ severity }) => severity === 'passed')
  return isClean && isComplete ? 0 : 1
}

/** What `vedette check` says without asking anybody. */
export function fileFindings(file: string, problems: readonly Problem[]): readonly DeepFinding[] {
  const area = `the file ${file}`
  if (problems.length === 0) {
    return [{ severity: 'passed', area, where: '', text: 'no problems in it', hint: '' }]
  }
  return problems.map(({ severity, line, path, message, hint }) => ({
    severity: severity === 'error' ? ('problem' as const) : ('warning' as const),
    ...{ area, text: message, hint },
    where: [line === undefined ? '' : `line ${line}`, path].filter(Boolean).join(' '),
  }))
}
