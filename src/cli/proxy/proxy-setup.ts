/** What `vedette proxy` is to do, from a file or from its command line. */
import { dirname, resolve } from 'node:path'
import { parseHostAndPort } from '../../base/ip.ts'
import type { HttpOptions } from '../../config/http-options.ts'
import { formatProblem } from '../../config/problem.ts'
import { type ProxyEntrances, type ProxyFile, proxyFaults } from '../../config/proxy-file.ts'
import type { ParsedSentinelFile, SentinelFile } from '../../config/sentinel-file.ts'
import { isYml } from '../../config/sentinel-file.ts'
import { NO_TLS, type TlsOptions } from '../../config/tls-options.ts'
import { StartError } from '../../io/start-error.ts'
import {
  DEFAULT_PROXY,
  DEFAULT_TIMING,
  type ProxyTiming,
  TIMING_ROWS,
} from '../../proxy/proxy-options.ts'
import { readSentinelFile } from '../sentinel/sentinel-config.ts'
import { type AccessOptions, checkPair, readLogin, splitAddress } from '../status/access.ts'
import type { ProxyRecord } from './proxy-journal.ts'

export interface ProxyOptions extends AccessOptions {
  readonly sentinel?: readonly string[]
  readonly group?: readonly string[]
  readonly port?: readonly number[]
  readonly readPort?: readonly number[]
  readonly socket?: readonly string[]
  readonly bind?: readonly string[]
  readonly tlsClients?: boolean
  readonly proxyProtocol?: boolean
  readonly sendProxy?: 'no' | 'v1' | 'v2'
  readonly maxClients?: number
  readonly httpPort?: number
  /** The options of ProxyTiming, by their names in camel case. */
  readonly [timing: string]: unknown
}

export interface ProxySetup {
  readonly proxy: ProxyFile
  readonly tls: TlsOptions
  readonly http: HttpOptions
  readonly log: Pick<SentinelFile, 'logLevel' | 'logFile' | 'logFormat'>
  /** [black-box] Of a file that has it; undefined: there is no journal. */
  readonly record?: ProxyRecord | undefined
}

const PLAIN_LOG: ProxySetup['log'] = { logLevel: 'notice', logFile: '', logFormat: 'auto' }

/** Throws a StartError that says what is missing or wrong. */
export function readProxySetup(file: string | undefined, options: ProxyOptions): ProxySetup {
  if (file === undefined) checkFiles(options)
  else checkAlone(file, options)
  const setup = file === undefined ? fromOptions(options) : fromFile(file)
  const { sentinels } = setup.proxy
  if (sentinels.length === 0) {
    const where = file === undefined ? '--sentinel' : 'proxy.sentinels'
    throw wrong(`${where} is missing`, 'name at least three Sentinels, as 10.0.0.1:26379')
  }
  const [fault] = proxyFaults(setup.proxy)
  if (fault === undefined) return setup
  throw wrong(`${['proxy', ...fault.path].join('.')} ${fault.message}`, fault.hint)
}

/** SIGHUP reads the file again, and options would say something else: so the file says everything. */
function checkAlone(file: string, options: ProxyOptions): void {
  const [given] = Object.keys(options)
  if (given === undefined) return
  if (options.sentinel !== undefined && parseHostAndPort(file) !== undefined) {
    throw wrong(
      `${file} is no file`,
      `name each Sentinel by an option of its own: --sentinel ${file}`,
    )
  }
  const word = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw wrong(`--${word} is not taken beside ${file}`, 'write it into the file: docs/options.md')
}

/** What would otherwise be missed later, under the names that a file has for it. */
function checkFiles(options: ProxyOptions): void {
  const { tls, tlsClients, cacert } = options
  if (tls === true && cacert === undefined) {
    throw wrong('--tls needs --cacert', 'name the file of the certificate authorities to trust')
  }
  checkPair(options, tlsClients === true ? '--tls-clients' : undefined)
}

function fromFile(path: string): ProxySetup {
  if (!isYml(path)) throw wrong(`${path} is no YAML file`, 'name it proxy.yml or sentinel.yml')
  const parsed = readSentinelFile({ path, overrides: [] })
  if (!parsed.ok) throw wrong(problemsOf(parsed), 'mend them; vedette check shows them as well')
  const { proxy, tls, http, logLevel, logFile, logFormat } = parsed.value
  if (proxy === undefined) throw wrong(`${path} has no proxy: section`, 'see docs/proxy.md')
  const { blackBox, stateDir } = parsed.value
  const folder = resolve(dirname(path), stateDir ?? '.')
  return {
    proxy,
    tls,
    http,
    log: { logLevel, logFile, logFormat },
    record: { folder, ...blackBox },
  }
}

function problemsOf({ problems }: Extract<ParsedSentinelFile, { ok: false }>): string {
  return problems.map((problem) => formatProblem(problem)).join('\n')
}

function fromOptions(options: ProxyOptions): ProxySetup {
  const { user, password } = readLogin(options)
  return {
    proxy: {
      sentinels: (options.sentinel ?? []).map(splitAddress),
      groups: entrances(options),
      bind: options.bind ?? DEFAULT_PROXY.bind,
      hasTls: options.tlsClients === true,
      user: user ?? '',
      password: password ?? '',
      sendProxy: ({ no: 0, v1: 1, v2: 2 } as const)[options.sendProxy ?? 'no'],
      maxClients: options.maxClients ?? DEFAULT_PROXY.maxClients,
      timing: timingOf(options),
    },
    tls: tlsOf(options),
    http: {
      ...{ port: options.httpPort ?? 0, bind: [], token: '', tokenFile: '', tls: false },
    },
    log: PLAIN_LOG,
  }
}

/** The first `--port` belongs to the first `--group`, and so on. */
function entrances(options: ProxyOptions): ProxyEntrances[] {
  const { group = [], port = [], readPort = [], socket = [] } = options
  const most = Math.max(port.length, readPort.length, socket.length)
  if (group.length === 0)
    throw wrong('no group is named', 'name one that the Sentinels watch, as in --group mymaster')
  if (most > group.length) throw wrong('there are more ports than groups', 'give each its --group')
  return group.map((name, at) => ({
    name,
    port: port[at] ?? 0,
    readPort: readPort[at] ?? 0,
    socket: socket[at] ?? '',
    readSocket: '',
    readsHeader: options.proxyProtocol === true,
  }))
}

function timingOf(options: ProxyOptions): ProxyTiming {
  const said = TIMING_ROWS.flatMap(([key, { word }]) => {
    const value = options[word.replace(/-./g, (dash) => dash.charAt(1).toUpperCase())]
    return value === undefined ? [] : [[key, value]]
  })
  return { ...DEFAULT_TIMING, ...Object.fromEntries(said) }
}

function tlsOf({ tls, cacert = '', cert = '', key = '' }: ProxyOptions): TlsOptions {
  const files = { caCertFile: cacert, certFile: cert, keyFile: key }
  const authClients = cacert === '' ? 'no' : 'optional'
  return { ...NO_TLS, ...files, authClients, replication: tls === true }
}

function wrong(message: string, hint: string): StartError {
  return new StartError('E_OPTIONS', message, hint)
}
