/**
 * What lies in deploy/docker and deploy/kubernetes, as far as it can be checked without an engine and a cluster:
 * against the schemas of Kubernetes and of compose files, a linter for Dockerfiles, our own check and HAProxy's; and that what
 * refers to something finds it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { MAIN, run } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const KUBERNETES = join(ROOT, 'deploy/kubernetes')
const DOCKER = join(ROOT, 'deploy/docker')
const HAS_HAPROXY = spawnSync('haproxy', ['-v'], { stdio: 'ignore' }).error === undefined
const HAS_KUBECTL = spawnSync('kubectl', ['kustomize', '--help'], { stdio: 'ignore' }).status === 0
const require = createRequire(import.meta.url)
const folder = scratchFolder('manifests')

// biome-ignore lint/suspicious/noExplicitAny: manifests are what these tests find out about
type Manifest = any

const FILES = readdirSync(KUBERNETES).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
)
const MANIFESTS: readonly Manifest[] = FILES.flatMap((name) => documents(join(KUBERNETES, name)))
const ofKind = (kind: string) => MANIFESTS.filter((one) => one.kind === kind)
const SETS = MANIFESTS.filter(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment')

function documents(path: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((one) => {
    expect(one.errors).toEqual([])
    return one.toJS()
  })
}

/** What the schemas of Kubernetes refuse. */
function refusals(manifest: Manifest): string {
  const model = require(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`)
  try {
    new model[manifest.kind](manifest).validate()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** The schemas let unknown fields pass; the types made from them do not. Each manifest as a literal of its type. */
function unknownFields(manifests: readonly Manifest[]): string {
  const lines = manifests.flatMap((manifest, at) => {
    const from = JSON.stringify(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`)
    const type = `I${manifest.kind}`
    return [
      `import type { ${type} as T${at} } from ${from}`,
      `export const m${at}: T${at} = ${JSON.stringify(manifest)}`,
    ]
  })
  const path = join(ROOT, 'node_modules', `.manifests-${process.pid}.ts`)
  writeFileSync(path, lines.join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--types', '']
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext']
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...modules, path], {
    encoding: 'utf8',
  })
  rmSync(path)
  return stdout
}

describe('Kubernetes', () => {
  test.each(MANIFESTS.map((one) => [`${one.kind} ${one.metadata.name}`, one]))(
    '%s is what the schemas of Kubernetes allow',
    (_name, manifest) => expect(refusals(manifest)).toBe(''),
  )

  test('no manifest has a field that Kubernetes does not know', () => {
    expect(unknownFields(MANIFESTS)).toBe('')
  })

  test('planted mistakes are found: a wrong type, a missing field, a misspelt one', () => {
    const [set] = structuredClone(ofKind('StatefulSet'))
    const [container] = set.spec.template.spec.containers
    container.ports[0].containerPort = '6379'
    expect(refusals(set)).toContain('containers/0/ports/0/containerPort must be integer')
    container.ports[0].containerPort = 6379
    delete set.spec.selector
    expect(refusals(set)).toContain('must have required property selector')
    const [misspelt] = structuredClone(ofKind('StatefulSet'))
    misspelt.spec.template.spec.containers[0].readynessProbe = {}
    expect(unknownFields([misspelt])).toContain('readynessProbe')
  })

  test('selectors, services, ports, ConfigMaps and Secrets that are referred to are there', () => {
    const generated = kustomization().configMapGenerator
    const names = [...generated, ...ofKind('ConfigMap').map((one) => one.metadata)]
    for (const set of SETS) {
      const { labels } = set.spec.template.metadata
      expect(labels).toMatchObject(set.spec.selector.matchLabels)
      if (set.kind === 'StatefulSet') {
        expect(service(set.spec.serviceName).spec.clusterIP).toBe('None')
      }
      for (const volume of set.spec.template.spec.volumes) {
        if (volume.configMap) expect(names.map(({ name }) => name)).toContain(volume.configMap.name)
        if (volume.secret) expect(ofKind('Secret')[0].metadata.name).toBe(volume.secret.secretName)
      }
    }
    for (const { spec } of ofKind('Service')) {
      const ports = selected(spec.selector).flatMap(({ ports }) =>
        ports.map((port: { name: string }) => port.name),
      )
      for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort)
    }
    for (const { spec } of ofKind('PodDisruptionBudget')) {
      expect(selected(spec.selector.matchLabels)).toHaveLength(1)
    }
  })

  test('the kustomization names files that are there, and the example Secret is none of them', () => {
    const { resources, configMapGenerator } = kustomization()
    const files = configMapGenerator.flatMap((one: { files: readonly string[] }) => one.files)
    for (const name of [...resources, ...files]) {
      expect(existsSync(join(KUBERNETES, name)), name).toBe(true)
    }
    expect(resources).not.toContain('secret.example.yaml')
  })

  test.skipIf(!HAS_KUBECTL)(
    'what kustomize makes of it is what the schemas allow, and volumes find the maps by their new names (need kubectl)',
    async () => {
      // It reads files alone and asks no cluster.
      const { status, stdout, stderr } = await run('kubectl', ['kustomize', KUBERNETES], 60_000)
      expect([status, stderr]).toEqual([0, ''])
      const built = parseAllDocuments(stdout).map((one) => one.toJS() as Manifest)
      for (const one of built) expect([one.kind, refusals(one)]).toEqual([one.kind, ''])
      const maps = built.filter(({ kind }) => kind === 'ConfigMap')
      expect(maps.map(({ metadata }) => metadata.name.replace(/-[^-]+$/, '')).sort()).toEqual([
        'vedette-nodes',
        'vedette-sentinels',
      ])
      const sets = built.filter(({ kind }) => kind === 'StatefulSet')
      const mounted = sets.flatMap(({ spec }) =>
        spec.template.spec.volumes.flatMap((volume: Manifest) => volume.configMap?.name ?? []),
      )
      expect(mounted.sort()).toEqual(maps.map(({ metadata }) => metadata.name).sort())
      const images = sets.flatMap(({ spec }) =>
        spec.template.spec.containers.map(({ image }: Manifest) => image),
      )
      expect(new Set(images)).toEqual(new Set(['vedette:0.1.0']))
    },
  )

  test('every key of the Secret that a file reads is in the example', () => {
    const keys = Object.keys(ofKind('Secret')[0].stringData)
    const texts = [...FILES, 'sentinel.yml'].map((name) => text(KUBERNETES, name)).join('\n')
    const read = [...texts.matchAll(/\/run\/secrets\/vedette\/([\w-]+)/g)].map(([, key]) => key)
    expect(new Set(read)).toEqual(new Set(keys))
  })

  test('no pod runs as root, may gain rights or writes to its image', () => {
    for (const { spec } of SETS) {
      const pod = spec.template.spec
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true })
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(resources.limits.memory).toBeDefined()
      }
    }
  })

  test('nothing names a namespace', () => {
    for (const { metadata } of MANIFESTS) expect(metadata.namespace).toBeUndefined()
  })

  test.skipIf(!HAS_HAPROXY)('HAProxy takes its configuration (need haproxy)', () => {
    const [map] = ofKind('ConfigMap')
    const path = join(folder, 'haproxy.cfg')
    writeFileSync(path, map.data['haproxy.cfg'])
    const env = { ...process.env, POD_NAMESPACE: 'default', CLUSTER_DOMAIN: 'cluster.local' }
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', path], { encoding: 'utf8', env })
    expect([status, stderr.match(/ALERT.*|WARNING.*/)?.[0]]).toEqual([0, undefined])
  })
})

describe('Docker', () => {
  test('the compose file is what the schema of compose files allows', async () => {
    expect(await composeErrors(text(DOCKER, 'compose.yaml'))).toEqual([])
  })

  test('planted mistakes in it are found', async () => {
    const mistaken = text(DOCKER, 'compose.yaml').replace('stop_grace_period', 'stop_grace_perod')
    expect((await composeErrors(mistaken)).join()).toContain('must NOT have additional properties')
  })

  test('every secret and volume of a service is declared, and every mounted file is there', () => {
    const { services, volumes, secrets } = compose()
    for (const service of Object.values(services) as Manifest[]) {
      for (const name of service.secrets) expect(Object.keys(secrets)).toContain(name)
      for (const volume of service.volumes) {
        const [from] = volume.split(':')
        const isThere = from.startsWith('.') ? existsSync(join(DOCKER, from)) : from in volumes
        expect(isThere, volume).toBe(true)
      }
    }
  })

  test('the Dockerfile has nothing that its linter minds, and the linter minds a mistake', () => {
    const { validate } = require('dockerfile-utils')
    const dockerfile = text(DOCKER, 'Dockerfile')
    expect(validate(dockerfile)).toEqual([])
    expect(validate(dockerfile.replace('WORKDIR', 'WORKDIRR'))).not.toEqual([])
  })

  test('what the Dockerfile copies is not kept out by .dockerignore', () => {
    const sent = text(ROOT, '.dockerignore').match(/^!.*/gm)
    const copies = [...text(DOCKER, 'Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
    const copied = copies.flatMap(([, names = '']) => names.split(' '))
    expect(copied.map((name) => `!${name}`).sort()).toEqual(sent?.sort())
  })

  test('signals reach the program: the entry point has no shell, and the user is a number', () => {
    const dockerfile = text(DOCKER, 'Dockerfile')
    expect(dockerfile).toMatch(/^ENTRYPOINT \["/m)
    expect(dockerfile).toMatch(/^USER \d+:\d+$/m)
  })
})

describe('configurations', () => {
  test.each([
    [KUBERNETES, 'sentinel.yml'],
    [KUBERNETES, 'server.conf'],
    [DOCKER, 'sentinel.yml'],
    [DOCKER, 'server.conf'],
  ])('vedette check finds nothing wrong with %s/%s', async (from, name) => {
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'a-secret-of-32-characters-012345\n')
    const path = join(folder, name)
    writeFileSync(path, text(from, name).replaceAll(/\/run\/secrets\/[\w/-]+/g, secret))
    const names = ['POD_NAME=vedette-sentinel-0', 'POD_NAMESPACE=default', 'SENTINEL_NAME=s-0']
    const check = [process.execPath, MAIN, 'check', '--elsewhere', path]
    const { status, stdout, stderr } = await run('env', [...names, ...check])
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
  })
})

function kustomization(): Manifest {
  return documents(join(KUBERNETES, 'kustomization.yaml'))[0]
}

function service(name: string): Manifest {
  return ofKind('Service').find(({ metadata }) => metadata.name === name)
}

/** The containers of the pods that a selector finds. */
function selected(labels: Readonly<Record<string, string>>): readonly Manifest[] {
  return SETS.map(({ spec }) => spec.template)
    .filter(({ metadata }) =>
      Object.entries(labels).every(([name, value]) => metadata.labels[name] === value),
    )
    .flatMap(({ spec }) => spec.containers)
}

function compose(): Manifest {
  const [document] = parseAllDocuments(text(DOCKER, 'compose.yaml'), { merge: true })
  return document?.toJS()
}

/** Only errors: its rules of style are not ours. */
async function composeErrors(content: string): Promise<readonly string[]> {
  const path = join(folder, 'compose.yaml')
  writeFileSync(path, content)
  const dclint = join(ROOT, 'node_modules/dclint/bin/dclint.cjs')
  const { stdout, stderr } = await run(process.execPath, [dclint, '-f', 'json', path])
  const results = JSON.parse(stdout || stderr) as Manifest[]
  return results
    .flatMap(({ messages }) => messages)
    .filter(({ type }) => type === 'error')
    .map(({ message }) => message)
}

function text(from: string, name: string): string {
  return readFileSync(join(from, name), 'utf8')
}
