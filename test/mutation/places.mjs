/**
 * Where a change shows. Inside of a function that is the place itself. What a module computes when it loads
 * runs in every history, so there it is the functions that use it: by its name, over imports and through
 * other constants.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parse } from 'acorn'
import { full, fullAncestor } from 'acorn-walk'

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'PropertyDefinition',
])
/** Nothing that runs in a history imports from these. */
const NO_USERS = /^(cli|dashboard|io|http|engine|report|simulate)\//

export class Places {
  #dist
  #trees = new Map()
  #files

  constructor(dist) {
    this.#dist = dist
  }

  /** `[{ file, offset }]`: the change can matter where one of these was executed. */
  of({ file, start }) {
    const found = []
    this.#collect(file, start, found, new Set())
    return found
  }

  #collect(file, offset, found, seen) {
    const tree = this.#treeOf(file)
    if (isInFunction(tree, offset)) return found.push({ file, offset })
    const statement = tree.body.find(({ start, end }) => start <= offset && offset < end)
    const key = `${file} ${statement?.start}`
    if (statement === undefined || seen.has(key)) return
    seen.add(key)
    for (const name of declaredBy(statement)) {
      for (const use of usesIn(tree, name)) this.#collect(file, use, found, seen)
      for (const [user, local] of this.#importersOf(file, name)) {
        for (const use of usesIn(this.#treeOf(user), local)) this.#collect(user, use, found, seen)
      }
    }
  }

  #treeOf(file) {
    let tree = this.#trees.get(file)
    if (tree === undefined) {
      tree = parse(readFileSync(join(this.#dist, file), 'utf8'), {
        ecmaVersion: 'latest',
        sourceType: 'module',
      })
      this.#trees.set(file, tree)
    }
    return tree
  }

  /** Pairs of a file and the name by which it knows what another one exports. */
  #importersOf(file, name) {
    this.#files ??= readdirSync(this.#dist, { recursive: true })
      .map(String)
      .filter((one) => one.endsWith('.js') && !NO_USERS.test(one))
    return this.#files.flatMap((user) =>
      this.#treeOf(user).body.flatMap((statement) => {
        if (!('source' in statement) || statement.source === null) return []
        if (posix.join(posix.dirname(user), statement.source.value) !== file) return []
        return statement.specifiers.flatMap(({ imported, local }) =>
          imported?.name === name ? [[user, local.name]] : [],
        )
      }),
    )
  }
}

function isInFunction(tree, offset) {
  let isInside = false
  full(tree, ({ type, start, end }) => {
    isInside ||= FUNCTIONS.has(type) && start <= offset && offset < end
  })
  return isInside
}

function declaredBy(statement) {
  const declaration = statement.declaration ?? statement
  if (declaration.declarations === undefined) return declaration.id ? [declaration.id.name] : []
  return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
}

/** A name that a function gives to something of its own counts, too: rather too many than too few. */
function usesIn(tree, name) {
  const uses = []
  fullAncestor(tree, (node, _state, ancestors) => {
    if (node.type !== 'Identifier' || node.name !== name) return
    if (ancestors.some(({ type }) => type === 'ImportDeclaration')) return
    const parent = ancestors.at(-2)
    if (parent?.type === 'VariableDeclarator' && parent.id === node) return
    uses.push(node.start)
  })
  return uses
}
