/**
 * The processes of the demonstration cluster: started together, harmed on request, ended together.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
   * end.
   */
  constructor(layout: DemoLayout, rules: GroupRules, folder: string | undefined) {
    this.layout = layout
    this.#rules = rules
    this.#folder = folder === undefined ? temporaryFolder() : resolve(folder)
    mkdirSync(this.#folder, { recursive: true })
    const control = controlPath(layout.nodes[0]?.port ?? 0)
    this.#guard = new Guard(folder === undefined ? this.#folder : undefined, control)
    this.nodes = layout.nodes.map((place) => this.#createMember('server', place))
    this.sentinels = layout.sentinels.map((place) => this.#createMember('sentinel', place))
  }

  get canCut(): boolean {
    return this.layout.nodes[0]?.sourceAddress !== undefined
  }

  start(): void {
    this.#writeConfiguration()
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
      mkdirSync(folder, { recursive: true })
      write(`server-${place.port}.conf`, redisConf(place, nodes[0] as Place, folder))
    }
    for (const place of sentinels) {
      write(`sentinel-${place.port}.yml`, sentinelYml(place, this.layout, this.#rules))
    }
  }
}

const CONFIG_EXTENSIONS = { server: 'conf', sentinel: 'yml' } as const

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'vedette-up-'))
}
