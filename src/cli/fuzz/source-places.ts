/**
 * Where code of a compiled file stands in the source, by the source map that the build writes beside it. An
 * installed package has no maps: places are those of the compiled file then.
 */
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

/** The folder of the compiled files. */
const ROOT = new URL('../../', import.meta.url)

export interface MappedPlace {
  /** `src/core/step.ts`, or `dist/core/step.js` without a map. */
  readonly file: string
  readonly line: number
}

export class SourcePlaces {
  readonly #files = new Map<string, CompiledFile>()

  /** `offset`: in characters of the compiled file. */
  of(module: string, offset: number): MappedPlace {
    return this.#file(module).place(offset)
  }

  /** The first line of code from there on, at most `most` characters of it. */
  excerpt(module: string, start: number, end: number, most: number): string {
    const text = this.#file(module).text.slice(start, end).trim().replace(/\s+/g, ' ')
    return text.length > most ? `${text.slice(0, most)}…` : text
  }

  /** Whether there is any statement: a lone brace or semicolon is nothing that could be reached. */
  hasCode(module: string, start: number, end: number): boolean {
    return /\w/.test(this.#file(module).text.slice(start, end))
  }

  #file(module: string): CompiledFile {
    const file = this.#files.get(module) ?? new CompiledFile(module)
    this.#files.set(module, file)
    return file
  }
}

class CompiledFile {
  readonly text: string
  readonly #module: string
  readonly #map: SourceMap | undefined
  readonly #lineStarts: readonly number[]

  constructor(module: string) {
    const url = new URL(module, ROOT)
    this.#module = module
    this.text = readFileSync(url, 'utf8')
    this.#lineStarts = [...this.text.matchAll(/^/gm)].map(({ index }) => index)
    const map = new URL(`${module}.map`, ROOT)
    this.#map = existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8'))) : undefined
  }

  place(offset: number): MappedPlace {
    // Blanks belong to no line of the source.
    const at = offset + (/\S/.exec(this.text.slice(offset))?.index ?? 0)
    const line = this.#lineStarts.findLastIndex((start) => start <= at)
    const entry = this.#map?.findEntry(line, at - (this.#lineStarts[line] ?? 0))
    if (entry === undefined || !('originalLine' in entry)) {
      return { file: `dist/${this.#module}`, line: line + 1 }
    }
    return { file: `src/${this.#module.replace(/\.js$/, '.ts')}`, line: entry.originalLine + 1 }
  }
}
