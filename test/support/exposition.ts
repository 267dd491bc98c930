/** Reads the text format of Prometheus, strictly enough for what our programs write. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Throws for a line that is neither a comment nor a sample. */
export function readSamples(pieces: readonly string[]): readonly Sample[] {
  const lines = Buffer.from(pieces.join(''), 'latin1').toString().split('\n')
  if (lines.pop() !== '') throw new Error('the last line does not end')
  return lines.filter((line) => !line.startsWith('#')).map(readSample)
}

function readSample(line: string): Sample {
  const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
  if (found === null) throw new Error(`no sample: ${line}`)
  const [, name = '', labels = '', value = ''] = found
  return { name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) }
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)]
  if (pairs.map(([whole]) => whole).join('') !== text) throw new Error(`no labels: ${text}`)
  const plain = (value: string) => value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c))
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, plain(value)]))
}

/** The values of a name, by the values of its labels. */
export function valuesOf(samples: readonly Sample[], name: string): Record<string, number> {
  const found = samples.filter((one) => one.name === name)
  return Object.fromEntries(
    found.map(({ labels, value }) => [Object.values(labels).join(' '), value]),
  )
}
