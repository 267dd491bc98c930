/** The files of the page, by path. They hold no data, so they need no token. */
import { readdir, readFile } from 'node:fs/promises'
import type { PageAsset } from './http-site.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

export class PageFiles {
  readonly #folder: URL
  #read: Promise<ReadonlyMap<string, PageAsset>> | undefined

  constructor(folder: URL) {
    this.#folder = folder
  }

  /**
   * All files are read once, so no path from outside ever names one. Reading that fails, as while a package is
   * unpacked or all descriptors are taken, is tried again by the next request.
   */
  async at(path: string): Promise<PageAsset | undefined> {
    this.#read ??= this.#readAll()
    try {
      return (await this.#read).get(path === '/' ? '/index.html' : path)
    } catch (error) {
      this.#read = undefined
      throw error
    }
  }

  async #readAll(): Promise<ReadonlyMap<string, PageAsset>> {
    const found = new Map<string, PageAsset>()
    for (const name of await readdir(this.#folder)) {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
      if (type === undefined) continue
      found.set(`/${name}`, { type, body: await readFile(new URL(name, this.#folder), 'utf8') })
    }
    return found
  }
}
