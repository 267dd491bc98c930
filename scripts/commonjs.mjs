/**
 * What package.json exports, once more as CommonJS, in dist/cjs: for test runners and applications that `require`.
 * The programs do not need it; modules that several entries share stand in files of their own.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { relative, sep } from 'node:path'
import { pathOf } from './paths.mjs'

const FOLDER = 'dist/cjs'
/** Vitest itself is for ES modules alone. */
const ENTRIES = ['jest', 'resp', 'scenario', 'simulate', 'testing']

/** Undefined where the bundler cannot run: then `require` finds nothing, and `import` all. */
export async function makeCommonJs() {
  const bundler = await import('rolldown').catch(() => undefined)
  if (bundler === undefined) return undefined
  const bundle = await bundler.rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, pathOf(`src/exports/${name}.ts`)])),
    platform: 'node',
    external: (id) => builtinModules.includes(id) || /^(node:|[^./])/.test(id),
    tsconfig: false,
    transform: { target: 'es2023' },
    plugins: [moduleAddresses()],
    onLog: (_level, log) => {
      throw new Error(`CommonJS: ${log.message}`)
    },
  })
  const { output } = await bundle.generate({
    ...{ format: 'cjs', exports: 'named', comments: false },
    ...{ entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
  })
  await bundle.close()
  return output
}

export function writeCommonJs(output = []) {
  rmSync(pathOf(FOLDER), { recursive: true, force: true })
  mkdirSync(pathOf(FOLDER), { recursive: true })
  for (const { fileName, code } of output) writeFileSync(pathOf(`${FOLDER}/${fileName}`), code)
}

/** A module that looks for a file beside itself finds it beside the compiled module in dist. */
function moduleAddresses() {
  return {
    name: 'module-addresses',
    transform(code, id) {
      if (!id.startsWith(pathOf('src')) || !code.includes('import.meta.url')) return undefined
      const module = relative(pathOf('src'), id).split(sep).join('/').replace(/\.ts$/, '.js')
      const address = `require('node:url').pathToFileURL(require('node:path').join(__dirname, '../${module}')).href`
      return { code: code.replaceAll('import.meta.url', address), map: null }
    },
  }
}
