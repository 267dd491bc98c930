/**
 * The pages keep their promises: each relative link leads to a file and a heading that are there, the files
 * and folders they name exist, and so do the pages that log lines and comments send a reader to.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const ROOT = new URL('../', import.meta.url)
const PAGES = [
  ...namesIn('').filter((name) => name.endsWith('.md')),
  ...namesIn('docs/').map((name) => `docs/${name}`),
]
/** The changelog tells of files as they were. */
const HISTORY = 'CHANGELOG.md'
const SOURCES = ['src/', 'test/', 'scripts/', 'bench/', 'scenarios/', 'deploy/'].flatMap((folder) =>
  namesIn(folder).map((name) => folder + name),
)

test.each(PAGES)('every relative link and anchor of %s leads somewhere', (page) => {
  expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([])
})

test.each(PAGES.filter((page) => page !== HISTORY))('every source file %s names exists', (page) => {
  const names = [...textOf(page).matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, name = '']) => name)
  expect(names.filter((name) => !SOURCES.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual(
    [],
  )
})

test.each(PAGES.filter((page) => page !== HISTORY))('every folder %s names exists', (page) => {
  const names = [...textOf(page).matchAll(/`((?:[\w-]+\/)+)`/g)].map(([, name = '']) => name)
  expect(names.filter((name) => !SOURCES.some((file) => `/${file}`.includes(`/${name}`)))).toEqual(
    [],
  )
})

test('every page that a source file names exists', () => {
  const named = SOURCES.filter((file) => /\.(ts|mjs)$/.test(file)).flatMap((file) =>
    [...textOf(file).matchAll(/docs\/[\w-]+\.md/g)].map(([name]) => ({ file, name })),
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(({ name }) => !existsSync(new URL(name, ROOT)))).toEqual([])
})

test('every page of docs can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const target = targetOf(page, link)
      if (PAGES.includes(target)) reached.add(target)
    }
  }
  expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
})

test('no page installs vedette from a registry, where it is not', () => {
  const fromRegistry = /npm (?:i|install)\b[^`\n#]* vedette(?![\w./-])/
  expect(PAGES.filter((page) => page !== HISTORY && fromRegistry.test(textOf(page)))).toEqual([])
})

function leadsSomewhere(page: string, link: string): boolean {
  const [, anchor] = link.split('#')
  const target = targetOf(page, link)
  if (!existsSync(new URL(target, ROOT))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/** From the root, without the anchor. */
function targetOf(page: string, link: string): string {
  const [path = ''] = link.split('#')
  if (path === '') return page
  return new URL(path, new URL(page, ROOT)).pathname.slice(ROOT.pathname.length)
}

function linksOf(page: string): readonly string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => !/^[a-z]+:/.test(link))
}

/** As GitHub makes them: in lower case, without punctuation, words joined by hyphens, repeated ones numbered. */
function anchorsOf(page: string): readonly string[] {
  const seen = new Map<string, number>()
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    const plain = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
}

/** Without blocks of code, in which `#` and brackets mean something else. */
function proseOf(page: string): string {
  return textOf(page).replace(/^```.*?^```/gms, '')
}

function textOf(page: string): string {
  return readFileSync(new URL(page, ROOT), 'utf8')
}

/** `folder` ends in a slash, or is the root. */
function namesIn(folder: string): readonly string[] {
  const isRoot = folder === ''
  return readdirSync(new URL(folder, ROOT), { recursive: !isRoot, encoding: 'utf8' })
}
