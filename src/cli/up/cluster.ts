/**
 * The processes of the demonstration cluster: started together, harmed on request, ended together.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { reasonOf, StartError } from '../../io/start-error.ts'
import { makeFolder } from '../files.ts'
import { redisConf, sentinelYml } from './config-files.ts'
import { controlPath } from './control-file.ts'
import { Guard } from './guard.ts'
import type { DemoLayout, Place } from './layout.ts'
import { DemoMember } from './member.ts'
import type { GroupRules } from './rules.ts'

export class DemoCluster {
  readonly layout: DemoLayout
  readonly nodes: readonly DemoMember[]
  readonly sentinels: readonly DemoMember[]
  /** Called after every change of a member's state. */
  onChange: (member: DemoMember) => void = () => undefined
  readonly #rules: GroupRules
  readonly #folder: string
  readonly #guard: Guard

  /**
   * Configuration, logs and state are kept in `folder`; undefined: in a temporary folder, until the
   * end. Throws a StartError if it cannot be made.
   */
  constructor(layout: DemoLayout, rules: GroupRules, folder: string | undefined) {
    this.layout = layout
    this.#rules = rules
    this.#folder = folder === undefined ? temporaryFolder() : resolve(folder)
    inFolder(this.#folder, () => makeFolder(this.#folder))
    const control = controlPath(layout.nodes[0]?.port ?? 0)
    this.#guard = new Guard(folder === undefined ? this.#folder : undefined, control)
    this.nodes = layout.nodes.map((place) => this.#createMember('server', place))
    this.sentinels = layout.sentinels.map((place) => this.#createMember('sentinel', place))
  }

  get canCut(): boolean {
    return this.layout.nodes[0]?.sourceAddress !== undefined
  }

  /** Throws a StartError if the folder cannot be written to. */
  start(): void {
    inFolder(this.#folder, () => this.#writeConfiguration())
    for (const member of this.#members()) member.start()
  }

  /** Ends every process and cleans up. */
  async stop(): Promise<void> {
    await Promise.all(this.#members().map((member) => member.stop()))
    await this.#guard.close()
  }

  /** The nodes that were harmed or have ended. */
  lost(): readonly DemoMember[] {
    return this.nodes.filter((node) => node.state !== 'running')
  }

  #createMember(program: DemoMember['program'], place: Place): DemoMember {
    const { nodes, sentinels } = this.layout
    const path = join(this.#folder, `${program}-${place.port}`)
    return new DemoMember({
      program,
      place,
      configPath: `${path}.${CONFIG_EXTENSIONS[program]}`,
      logPath: `${path}.log`,
      addresses: [...nodes, ...sentinels].flatMap((one) => one.sourceAddress ?? []),
      guard: this.#guard,
      onChange: (member) => this.onChange(member),
    })
  }

  #members(): readonly DemoMember[] {
    return [...this.nodes, ...this.sentinels]
  }

  #writeConfiguration(): void {
    const { nodes, sentinels } = this.layout
    const write = (name: string, text: string) => writeFileSync(join(this.#folder, name), text)
    for (const place of nodes) {
      const folder = join(this.#folder, `server-${place.port}`)
      makeFolder(folder)
      write(`server-${place.port}.conf`, redisConf(place, nodes[0] as Place, folder))
    }
    for (const place of sentinels) {
      write(`sentinel-${place.port}.yml`, sentinelYml(place, this.layout, this.#rules))
    }
  }
}

const CONFIG_EXTENSIONS = { server: 'conf', sentinel: 'yml' } as const

function temporaryFolder(): string {
  return inFolder(tmpdir(), () => mkdtempSync(join(tmpdir(), 'vedette-up-')))
}

function inFolder<Result>(folder: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    throw new StartError(
      'E_STATE_FOLDER',
      `cannot write to ${folder}: ${reasonOf(error)}`,
      'name a --dir that this user may write to',
    )
  }
}
