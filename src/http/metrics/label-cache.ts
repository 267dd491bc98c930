/**
 * The labels of groups and instances as text, kept from one scrape to the next: they hardly ever change, and
 * building them anew would be half of the work. What is forgotten by the Sentinel is forgotten here.
 */
import { hostAndPort } from '../../base/ip.ts'
import { shownHost } from '../../core/names/names.ts'
import type { Group, Instance, State } from '../../core/state.ts'
import { type LabelPair, labelText } from './exposition.ts'

export interface GroupLabels {
  /** The address that redis_exporter shows, without brackets. */
  readonly address: string
  readonly master: LabelPair
  /** `master_name`. */
  readonly own: string
  /** `master_name` and `master_address`. */
  readonly exporter: string
  /** The labels of the two above, and the state of the master. */
  readonly status: LastLabels
  /** `master_name` and the answer of CKQUORUM. */
  readonly verdict: LastLabels
}

/** Labels of which the last one is a text that changes now and then. */
class LastLabels {
  readonly #before: readonly LabelPair[]
  readonly #name: string
  #known: { readonly value: string; readonly text: string } | undefined

  constructor(before: readonly LabelPair[], name: string) {
    this.#before = before
    this.#name = name
  }

  with(value: string): string {
    if (this.#known?.value !== value) {
      this.#known = { value, text: labelText([...this.#before, [this.#name, value]]) }
    }
    return this.#known.text
  }
}

export interface InstanceLabels {
  readonly host: string
  readonly port: number
  /** `master_name`, `role` and `address`. */
  readonly all: string
  /** `master_name` and `address`. */
  readonly brief: string
}

export class LabelCache {
  readonly #groups = new WeakMap<Group, GroupLabels>()
  readonly #instances = new WeakMap<Instance, InstanceLabels>()

  ofGroup(state: State, group: Group): GroupLabels {
    const { name, host, port } = group.config
    const address = `${shownHost(state, host)}:${port}`
    const known = this.#groups.get(group)
    if (known?.address === address) return known
    const master: LabelPair = ['master_name', name]
    const both: readonly LabelPair[] = [master, ['master_address', address]]
    const labels = {
      address,
      master,
      own: labelText([master]),
      exporter: labelText(both),
      status: new LastLabels(both, 'master_status'),
      verdict: new LastLabels([master], 'message'),
    }
    this.#groups.set(group, labels)
    return labels
  }

  ofInstance(state: State, instance: Instance, master: LabelPair): InstanceLabels {
    const host = shownHost(state, instance.host)
    const { port } = instance
    const known = this.#instances.get(instance)
    if (known?.host === host && known.port === port) return known
    const own: LabelPair = ['address', hostAndPort(host, port)]
    const all = labelText([master, ['role', instance.kind], own])
    const labels = { host, port, all, brief: labelText([master, own]) }
    this.#instances.set(instance, labels)
    return labels
  }
}
