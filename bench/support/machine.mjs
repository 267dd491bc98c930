/** Where the numbers were measured: without that they mean nothing. */
import { cpus, loadavg, release, type } from 'node:os'
import { vedetteVersion } from './programs.mjs'

/** `versions` are those of the other programs that took part, by name. */
export function describeSetting(versions) {
  const processors = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: processors[0]?.model.trim() ?? 'unknown processor',
    cores: processors.length,
    load: Number(loadavg()[0].toFixed(1)),
    system: `${type()} ${release()}`,
    versions: { vedette: vedetteVersion(), node: process.versions.node, ...versions },
  }
}

/** One sentence for a reader. `load` is what else the machine did when we began. */
export function settingLine({ date, cpu, cores, load, system, versions }) {
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `Measured on ${date}: ${cpu}, ${cores} cores, ${system}, load ${load} at the start; ${programs.join(', ')}.`
}
