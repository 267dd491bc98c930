/**
 * A metric family: one name with its type, labels and meaning, and all samples of that name. The families
 * stand in tables; what is exposed, docs/metrics.md and the tests follow from those.
 *
 * Two prefixes. `redis_` is for what redis_exporter also has: its names, labels and units, because
 * dashboards and alerts ask for them, even where Prometheus would have them spelt otherwise. `vedette_`
 * is for what only we know.
 */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  /** What one is counted in; empty: a number, or 1 for yes and 0 for no. */
  readonly unit: MetricUnit
  /** One sentence. It goes out with every scrape, so no name of a group or an instance is in it. */
  readonly help: string
}

export type MetricUnit = '' | 'seconds' | 'milliseconds' | 'bytes' | 'epoch' | 'yes or no'

interface FamilyWords {
  readonly help: string
  readonly unit?: MetricUnit
  readonly labels?: readonly string[]
}

function family(type: MetricFamily['type'], name: string, words: FamilyWords): MetricFamily {
  return { type, name, labels: [], unit: '', ...words }
}

export function gauge(name: string, words: FamilyWords): MetricFamily {
  return family('gauge', name, words)
}

export function counter(name: string, words: FamilyWords): MetricFamily {
  return family('counter', name, words)
}

export function histogram(name: string, words: FamilyWords): MetricFamily {
  return family('histogram', name, words)
}

/** A family with the way to its one value in `Source`; undefined: there is no sample just now. */
export interface MetricRow<Source> {
  readonly family: MetricFamily
  readonly read: (source: Source) => number | boolean | undefined
}
