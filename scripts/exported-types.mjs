/**
 * The types of what package.json exports: those of the files in src/exports and of what their types need,
 * put beside the compiled modules; and once more for CommonJS, to which the same types are another file. Each file is taken alone, as `isolatedDeclarations` asks, so that it takes
 * no second run of the compiler; what it exports has to name its types.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { pathOf } from './paths.mjs'

/** Declarations by their path in dist; undefined where the bundler cannot run. */
export async function makeExportedTypes() {
  const toDeclaration = await loadTool()
  if (toDeclaration === undefined) return undefined
  const made = new Map()
  const waiting = readdirSync(pathOf('src/exports')).map((name) => `exports/${name}`)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const path = name.replace(/\.ts$/, '.d.ts')
    if (made.has(path)) continue
    const text = declarationOf(name, toDeclaration)
    made.set(path, withHead(text.replace(RELATIVE, '$1$2.js$1')))
    const forCommonJs = path.replace(/ts$/, 'cts')
    if (!ESM_ONLY.test(path)) made.set(forCommonJs, withHead(text.replace(RELATIVE, '$1$2.cjs$1')))
    for (const [, , imported] of text.matchAll(/(?:from|import\() ?(["'])(\.[^"']+)\1/g)) {
      waiting.push(posix.join(posix.dirname(name), imported))
    }
  }
  return made
}

/** Vitest itself cannot be required. */
const ESM_ONLY = /vitest/
const RELATIVE = /(["'])(\.[^"']+)\.ts\1/g

/** `await using` needs the name of a symbol that the library of older targets does not have. */
function withHead(text) {
  const needs = text.includes('Symbol.asyncDispose')
  return needs ? `/// <reference lib="esnext.disposable" />\n${text}` : text
}

async function loadTool() {
  try {
    return (await import('rolldown/experimental')).isolatedDeclarationSync
  } catch {
    // The bundle, which needs the same package, has said so.
    return undefined
  }
}

function declarationOf(name, toDeclaration) {
  const { code, errors } = toDeclaration(name, readFileSync(join(pathOf('src'), name), 'utf8'), {})
  const [error] = errors
  if (error !== undefined) {
    throw new Error(`src/${name}, whose types package.json exports: ${error.message}`)
  }
  return code.replace(IMPORT_FOR_EFFECT, '')
}

/** It has no types, and no declarations are made for what it names. */
const IMPORT_FOR_EFFECT = /^import ?["'][^"']+["'];?\n/gm

/** Those of an earlier build go. */
export function writeExportedTypes(made = new Map()) {
  for (const name of readdirSync(pathOf('dist'), { recursive: true }).map(String)) {
    if (/\.d\.c?ts$/.test(name)) rmSync(pathOf(`dist/${name}`))
  }
  for (const [path, text] of made) {
    mkdirSync(dirname(pathOf(`dist/${path}`)), { recursive: true })
    writeFileSync(pathOf(`dist/${path}`), text)
  }
}
