/**
 * What package.json exports, in few files: once for `import`, in dist/library, and once for `require`, in dist/cjs.
 * A test file that imports `vedette/testing` waits for a dozen files and not for the six hundred modules of dist. The
 * programs do not need it; modules that several entries share stand in files of their own.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { relative, sep } from 'node:path'
import { pathOf } from './paths.mjs'

const ENTRIES = ['jest', 'resp', 'scenario', 'simulate', 'testing']

/** `address`: an expression for the address of the compiled module at this path below dist. */
const FORMATS = [
  {
    folder: 'dist/library',
    // Vitest itself is for ES modules alone.
    entries: [...ENTRIES, 'vitest'],
    output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    address: (module) => `new URL('../${module}', import.meta.url).href`,
  },
  {
    folder: 'dist/cjs',
    entries: ENTRIES,
    output: {
      ...{ format: 'cjs', exports: 'named' },
      ...{ entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
    },
    address: (module) =>
      `require('node:url').pathToFileURL(require('node:path').join(__dirname, '../${module}')).href`,
  },
]

/**
 * Files by folder. Where the bundler cannot run, `import` finds the modules of dist, and `require` finds nothing.
 */
export async function makeLibrary() {
  const bundler = await import('rolldown').catch(() => undefined)
  if (bundler === undefined) return FORMATS.map(withoutBundler)
  return Promise.all(FORMATS.map((format) => bundleAs(bundler, format)))
}

export function writeLibrary(made) {
  for (const { folder, files } of made) {
    rmSync(pathOf(folder), { recursive: true, force: true })
    mkdirSync(pathOf(folder), { recursive: true })
    for (const { fileName, code } of files) writeFileSync(pathOf(`${folder}/${fileName}`), code)
  }
}

async function bundleAs(bundler, { folder, entries, output, address }) {
  const bundle = await bundler.rolldown({
    input: Object.fromEntries(entries.map((name) => [name, pathOf(`src/exports/${name}.ts`)])),
    platform: 'node',
    external: (id) => builtinModules.includes(id) || /^(node:|[^./])/.test(id),
    tsconfig: false,
    transform: { target: 'es2023' },
    plugins: [moduleAddresses(address)],
    onLog: (_level, log) => {
      throw new Error(`${folder}: ${log.message}`)
    },
  })
  const { output: files } = await bundle.generate({ ...output, comments: false })
  await bundle.close()
  return { folder, files }
}

function withoutBundler({ folder, entries, output }) {
  if (output.format !== 'es') return { folder, files: [] }
  const files = entries.map((name) => ({
    fileName: `${name}.js`,
    code: `export * from '../exports/${name}.js'\n`,
  }))
  return { folder, files }
}

/** A module that looks for a file beside itself finds it beside the compiled module in dist. */
function moduleAddresses(address) {
  return {
    name: 'module-addresses',
    transform(code, id) {
      if (!id.startsWith(pathOf('src')) || !code.includes('import.meta.url')) return undefined
      const module = relative(pathOf('src'), id).split(sep).join('/').replace(/\.ts$/, '.js')
      return { code: code.replaceAll('import.meta.url', address(module)), map: null }
    },
  }
}
