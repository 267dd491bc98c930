/** One fact, one place: what is said of an option of a group is said in core/group-options.ts, or follows from it. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { GroupOption } from '../../src/core/group-option-kinds.ts'
import { GROUP_OPTION_ROWS } from '../../src/core/group-options.ts'

const ROOT = new URL('../../', import.meta.url)
const ROWS = GROUP_OPTION_ROWS.map(([, row]) => row)

/** Who writes the name of an option all the same, and why it is no second table. */
const EXCEPTIONS: readonly Exception[] = [
  {
    reason: 'sentences for people about what an option does',
    places: {
      'cli/check/deep/judge-group.ts': ['down-after'],
      'cli/check/deep/judge-program.ts': ['rename-command'],
      'cli/help.ts': ['down-after', 'refused-after'],
      'cli/incident/what-if/text.ts': ['down-after'],
      'cli/main.ts': ['down-after'],
      'cli/options.ts': ['down-after'],
      'config/check-voters.ts': ['voters', 'write-quorum'],
      'config/check.ts': ['down-after'],
      'config/sentinel-group-directives.ts': ['rename-command'],
      'config/server-directives.ts': ['auth-pass', 'auth-user', 'rename-command'],
      'report/chain/chain-detection.ts': ['down-after'],
      'report/page/page-tables.ts': ['down-after', 'failover-timeout', 'parallel-syncs'],
      'simulate/advice-replication.ts': ['down-after'],
      'simulate/advice-times.ts': ['down-after', 'failover-timeout'],
      'simulate/text-cluster.ts': ['down-after', 'failover-timeout', 'write-quorum'],
    },
  },
  {
    reason: 'the directive of that name which renames commands of the program itself',
    places: {
      'cli/sentinel/sentinel-reload.ts': ['rename-command'],
      'base/command-renames.ts': ['rename-command'],
      'cli/server/node-directives.ts': ['rename-command'],
      'config/export-ordinary.ts': ['rename-command'],
      'config/overridden-lines.ts': ['rename-command'],
      'config/sentinel-schema.ts': ['rename-commands'],
      'config/sentinel-yml.ts': ['rename-commands'],
    },
  },
  {
    reason: 'the directive of that name of our data nodes',
    places: { 'base/network-addresses.ts': ['client-addresses'] },
  },
  {
    reason: 'labels of random draws, which every seed depends on',
    places: {
      'fuzz/draw/draw-options.ts': ['failover-block', 'zones'],
      'fuzz/draw/draw-noise.ts': ['quorum', 'down-after', 'detection', 'refused-after'],
      'fuzz/draw/draw-stalls.ts': ['down-after', 'failover-timeout', 'detection'],
      'fuzz/draw/draw-shared.ts': ['down-after', 'failover-timeout', 'refused-after', 'detection'],
      'fuzz/draw/draw-operators.ts': ['down-after', 'failover-timeout', 'detection'],
      'fuzz/draw/draw-topology.ts': ['detection', 'refused-after'],
    },
  },
  {
    reason: 'a word of the language that is the name of an option, too',
    places: {
      'core/commands/sentinel-debug.ts': ['promotion'],
      'core/event-spec.ts': ['promotion'],
      'core/event-table.ts': ['promotion', 'failover-block'],
      'core/failover/failover-kinds.ts': ['voter'],
      'core/failover/fencing.ts': ['voter'],
      'core/failover/flapping.ts': ['failover-block'],
      'core/failover/host-rules.ts': ['zones'],
      'core/failover/promotion.ts': ['promotion'],
      'core/failover/simulate-failure.ts': ['promotion'],
      'core/failover/voter-report.ts': ['voter'],
      'fuzz/draw/draw-topology.ts': ['zones'],
      'fuzz/file.ts': ['zones'],
      'http/metrics/sentinel-families.ts': ['voters'],
      'report/lanes/lane-rows.ts': ['promotion'],
      'report/lanes/node-lane.ts': ['promotion'],
      'report/page/page-figure.ts': ['promotion'],
      'scenario/language/build-paths.ts': ['zones'],
      'scenario/language/decided-directives.ts': ['rename-command'],
      'server/persistence/load-refusals.ts': ['rename-command'],
      'server/replication/strict/strict.ts': ['voter'],
    },
  },
  {
    reason: 'what checkers promise, in words',
    places: {
      'history/checkers/orders.ts': ['parallel-syncs'],
      'history/checkers/phases.ts': ['failover-timeout'],
    },
  },
  {
    reason: 'the section of INFO',
    places: {
      'cli/check/deep/deep.ts': ['replication'],
      'proxy/replica-probe.ts': ['replication'],
      'testing/process-nodes.ts': ['replication'],
    },
  },
  {
    reason: 'keys of the same word',
    places: {
      'cli/check/deep/judge-sentinels.ts': ['quorum'],
      'cli/check/deep/judge-voters.ts': ['replication', 'voters'],
      'cli/incident/what-if/scenario.ts': ['quorum'],
      'config/check.ts': ['quorum'],
      'core/config.ts': ['quorum', 'detection'],
      'core/failover/voters.ts': ['replication', 'voters'],
      'core/group-option-kinds.ts': ['detection', 'replication'],
      'history/topology.ts': ['quorum', 'detection', 'replication', 'reads'],
      'scenario/facts/unreachable-quorum.ts': ['quorum'],
      'simulate/cluster.ts': ['replication'],
      'testing/options.ts': ['quorum', 'detection'],
      'testing/scenario.ts': ['quorum'],
      'testing/sentinel.ts': ['quorum'],
    },
  },
  {
    reason: 'a sentinel.conf that redis-sentinel reads as well',
    places: {
      'testing/process-members.ts': [
        ...['auth-pass', 'down-after-milliseconds', 'failover-timeout', 'parallel-syncs'],
      ],
    },
  },
]

interface Exception {
  readonly reason: string
  readonly places: Readonly<Record<string, readonly string[]>>
}

test('no source file writes the name of an option beside the table', () => {
  const files = readdirSync(new URL('src/', ROOT), { recursive: true }).map(String)
  const found = files
    .filter((file) => file.endsWith('.ts') && file !== 'core/group-options.ts')
    .flatMap((file) => namesIn(read(`src/${file}`)).map((name) => `${file}: ${name}`))
  const allowed = EXCEPTIONS.flatMap(({ places }) => Object.entries(places)).flatMap(
    ([file, names]) => names.map((name) => `${file}: ${name}`),
  )
  expect(found.sort()).toEqual(allowed.sort())
})

function namesIn(source: string): readonly string[] {
  const code = codeOf(source)
  const names = new Set(ROWS.flatMap(({ name, yml, aliases = [] }) => [name, yml, ...aliases]))
  return [...names].filter((name) => patternOf(name).test(code))
}

/** A name of one word is a word of the language, too: it is the option in quotes, but for `Type['key']`. */
function patternOf(name: string): RegExp {
  if (name.includes('-')) return new RegExp(`(?<![\\w-])${name}(?![\\w-])`)
  const inQuotes = `['"\`]${name}['"\`]`
  return new RegExp(`(?<!\\[)${inQuotes}|${inQuotes}(?!\\])`)
}

/** Comments may say what they like. */
function codeOf(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
}

test.each(ROWS)(
  'sentinel.yml.example says of $yml what the table says',
  ({ yml, name, doc, isInMonitor }) => {
    const lines = read('sentinel.yml.example').split('\n')
    const at = lines.findIndex(
      (line) => line.startsWith(`    #${yml}: `) || line.startsWith(`    ${yml}: `),
    )
    const above = lines.slice(0, at)
    const comment = above.slice(above.findLastIndex((line) => !line.startsWith('    # ')) + 1)
    const text = comment.map((line) => line.slice('    # '.length)).join(' ')
    expect(text).toContain(doc)
    expect(text).toContain(`[${isInMonitor ? 'monitor' : name}]`)
  },
)

test('docs/options.md shows every row', () => {
  expect(read('docs/options.md')).toContain(`${[...HEAD, ...ROWS.map(docsRow)].join('\n')}\n`)
})

const HEAD = [
  '| sentinel.yml | sentinel.conf and `SENTINEL SET` | default | SET may change it | shown by `SENTINEL MASTER` | redis-sentinel | what it says |',
  '|---|---|---|---|---|---|---|',
]

function docsRow(row: GroupOption): string {
  const { yml, name, aliases = [], doc } = row
  const names = [name, ...aliases].map((word) => `\`${word}\``).join(', ')
  const cells = [
    ...[`\`${yml}\``, row.isInMonitor ? `${names}; in the file a word of \`monitor\`` : names],
    ...[defaultOf(row), SET[row.set], SHOWN[row.shown]],
    ...[row.redisPlace === undefined ? 'does not know it' : 'the same', doc],
  ]
  return `| ${cells.join(' | ')} |`
}

const SET = { yes: 'yes', 'if-allowed': 'with `deny-scripts-reconfig no`', no: 'no' }
const SHOWN = { instances: 'yes, and of replicas and Sentinels', master: 'yes', no: 'no' }

function defaultOf(row: GroupOption): string {
  switch (row.kind) {
    case 'count':
      return row.default === undefined ? 'required' : String(row.default)
    case 'duration':
      return durationText(row.default)
    case 'word':
      return row.asInRedis === row.default
        ? `\`${row.default}\``
        : `\`${row.default}\`; in a sentinel.conf \`${row.asInRedis}\``
    default:
      return 'none'
  }
}

function durationText(ms: number): string {
  if (ms === 0) return '0'
  if (ms % 60_000 === 0) return `${ms / 60_000} min`
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`
}

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}
