/**
 * Which changes of the compiled machines a run tries. Half of a sample is drawn from the Sentinel and half
 * from the data node, and each folder has its share of its half, at least one. What is drawn depends on the
 * seed and on the text of each place alone: a change somewhere else in the code moves nearly nothing.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mutationsOf } from './operators.mjs'

/** The folders of dist that hold machines. */
export const MACHINES = ['core', 'server']

/** Every place of the files whose path begins with `prefix`, each with the number it has among its like. */
export function candidatesIn(dist, prefix) {
  return filesIn(dist)
    .filter((file) => file.startsWith(prefix))
    .flatMap((file) => {
      const twins = new Map()
      return mutationsOf(readFileSync(join(dist, file), 'utf8')).map((mutation) => {
        const name = nameOf(file, mutation)
        const nth = (twins.get(name) ?? 0) + 1
        twins.set(name, nth)
        return { id: `${name} #${nth}`, file, nth, ...mutation }
      })
    })
}

/** In an order of chance: the beginning of a sample is a sample. */
export function drawSample(dist, { sample, seed, files }) {
  const rooms = files === undefined ? MACHINES.map((room) => `${room}/`) : [files]
  const all = rooms.flatMap((room) => {
    const folders = groupBy(candidatesIn(dist, room), folderOf)
    const shares = sharesOf(folders, Math.ceil(sample / rooms.length))
    return [...folders].flatMap(([folder, own]) => {
      return inOrder(own, `${seed}`).slice(0, shares.get(folder))
    })
  })
  // By other lots: the winners of a large folder have better ones than those of a small folder.
  return inOrder(all, `${seed} order`)
}

/** What two builds with the same machines have in common. */
export function fingerprintOf(dist) {
  const hash = createHash('sha256')
  for (const file of filesIn(dist))
    hash.update(`${file}\n${readFileSync(join(dist, file), 'utf8')}`)
  return hash.digest('hex').slice(0, 16)
}

function folderOf({ file }) {
  return dirname(file)
}

function filesIn(dist) {
  return MACHINES.flatMap((room) =>
    readdirSync(join(dist, room), { recursive: true })
      .map((name) => `${room}/${name}`)
      .filter((name) => name.endsWith('.js')),
  ).sort()
}

function nameOf(file, { operator, code, was, replace }) {
  return [file, operator, code, was, replace].join(' | ')
}

function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** By the number of places, rounded so that the sum is as wanted where each has at least one. */
function sharesOf(folders, wanted) {
  const total = [...folders.values()].reduce((sum, own) => sum + own.length, 0)
  const exact = [...folders].map(([folder, { length }]) => [folder, (wanted * length) / total])
  const shares = new Map(exact.map(([folder, share]) => [folder, Math.max(1, Math.floor(share))]))
  const rest = wanted - [...shares.values()].reduce((sum, share) => sum + share, 0)
  const neediest = exact.sort((a, b) => (b[1] % 1) - (a[1] % 1))
  for (const [folder] of neediest.slice(0, Math.max(0, rest))) {
    shares.set(folder, shares.get(folder) + 1)
  }
  return shares
}

/** By lots that depend on nothing but the salt and the place itself. */
function inOrder(mutations, salt) {
  const lotOf = ({ id }) => createHash('sha256').update(`${salt} ${id}`).digest('hex')
  return mutations
    .map((one) => [lotOf(one), one])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one)
}
