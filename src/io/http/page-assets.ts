/** The files of the page, by path. They hold no data, so they need no token. */
import { readdir, readFile } from 'node:fs/promises'
import type { PageAsset } from './http-site.ts'

const FOLDER = new URL('../../dashboard/', import.meta.url)
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

let assets: Promise<ReadonlyMap<string, PageAsset>> | undefined

/** Read once, all of them: no path from outside ever names a file. */
export async function pageAsset(path: string): Promise<PageAsset | undefined> {
  assets ??= readAssets()
  return (await assets).get(path === '/' ? '/index.html' : path)
}

async function readAssets(): Promise<ReadonlyMap<string, PageAsset>> {
  const found = new Map<string, PageAsset>()
  for (const name of await readdir(FOLDER)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) continue
    found.set(`/${name}`, { type, body: await readFile(new URL(name, FOLDER), 'utf8') })
  }
  return found
}
