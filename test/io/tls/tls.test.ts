import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_TLS, type TlsOptions } from '../../../src/config/tls-options.ts'
import { LineBudget, Repetitions } from '../../../src/io/log/line-budget.ts'
import { reasonOf, StartError } from '../../../src/io/start-error.ts'
import { Tls } from '../../../src/io/tls/tls.ts'
import { createTlsContexts, spokenProtocols } from '../../../src/io/tls/tls-contexts.ts'
import { inFolder, tlsPaths } from '../../../src/io/tls/tls-paths.ts'
import { certificateFault } from '../../../src/io/tls/tls-reasons.ts'
import { QuietChange } from '../../../src/io/tls/tls-watch.ts'
import {
  Certificates,
  HAS_OPENSSL,
  type Pair,
  textOf,
  tlsOptions,
} from '../../support/certificates.ts'

/** What a thing is refused with. */
function refusal(create: () => unknown): string {
  try {
    create()
  } catch (error) {
    if (error instanceof StartError) return `${error.code} ${error.message}`
    throw error
  }
  return 'nothing is refused'
}

describe('protocols and ciphers', () => {
  const spoken = (more: Partial<TlsOptions>) => spokenProtocols({ ...NO_TLS, ...more })

  test('without tls-protocols TLS 1.2 and 1.3 are spoken', () => {
    const { context, warnings } = spoken({})
    expect([context.minVersion, context.maxVersion]).toEqual(['TLSv1.2', 'TLSv1.3'])
    expect(warnings).toEqual([])
  })

  test('the words may be in either case and any order', () => {
    const { context } = spoken({ protocols: ['tlsv1.3', 'TLSV1.2'] })
    expect([context.minVersion, context.maxVersion]).toEqual(['TLSv1.2', 'TLSv1.3'])
  })

  test('a word that is no version is refused', () => {
    expect(refusal(() => spoken({ protocols: ['TLSv2'] }))).toBe(
      'E_TLS tls-protocols: "TLSv2" is no TLS version',
    )
  })

  test('versions that OpenSSL refuses are refused when there is no other', () => {
    expect(refusal(() => spoken({ protocols: ['TLSv1', 'TLSv1.1'] }))).toBe(
      'E_TLS tls-protocols: OpenSSL refuses to speak TLSv1 and TLSv1.1',
    )
    expect(spoken({ protocols: ['TLSv1.1', 'TLSv1.2'] }).warnings).toEqual([
      'tls-protocols: OpenSSL refuses to speak TLSv1.1; the newer versions are spoken',
    ])
    const { warnings } = spoken({ protocols: ['TLSv1.1'], ciphers: 'ALL:@SECLEVEL=0' })
    expect(warnings).toEqual([])
  })

  test('tls-ciphers leaves the suites of TLS 1.3 alone, and the other way round', () => {
    const some = spoken({ ciphers: 'ECDHE-RSA-AES256-GCM-SHA384' }).context.ciphers ?? ''
    expect(some).toMatch(/^TLS_.*:ECDHE-RSA-AES256-GCM-SHA384$/)
    const suites = spoken({ cipherSuites: 'TLS_AES_128_GCM_SHA256' }).context.ciphers ?? ''
    expect(suites).toMatch(/^TLS_AES_128_GCM_SHA256:[^T]/)
    expect(suites).toContain('ECDHE')
  })
})

describe('reasons', () => {
  const failure = (code: string, message = '') =>
    reasonOf(Object.assign(new Error(message), { code }))

  test('a failed handshake is told in words', () => {
    expect(failure('CERT_HAS_EXPIRED')).toBe('certificate has expired')
    expect(failure('ERR_SSL_WRONG_VERSION_NUMBER')).toBe('the other side speaks no TLS')
    expect(failure('SELF_SIGNED_CERT_IN_CHAIN')).toBe(
      'self-signed certificate in certificate chain',
    )
  })

  test('the alerts of newer OpenSSL versions are the same alerts', () => {
    const reason = 'the other side says that our certificate has expired'
    expect(failure('ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED')).toBe(reason)
    expect(failure('ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED')).toBe(reason)
  })

  test('a reset in the middle of a handshake is no ordinary reset', () => {
    const text = 'Client network socket disconnected before secure TLS connection was established'
    expect(failure('ECONNRESET', text)).toBe('the other side closed during the TLS handshake')
    expect(failure('ECONNRESET', 'read ECONNRESET')).toBe('ECONNRESET')
  })

  test('a write that meets a failed handshake tells what failed', () => {
    const inner = 'write EPROTO 80CC:error:0A00042E:SSL routines:read:tlsv1 alert protocol version:'
    expect(failure('EPROTO', inner)).toBe('no TLS version in common')
    expect(failure('EPROTO', 'write EPROTO')).toBe('EPROTO')
  })

  test('what nobody has words for keeps its code', () => {
    expect(failure('ERR_SSL_SOMETHING_NEW', 'long:internal:text')).toBe('ERR_SSL_SOMETHING_NEW')
    expect(certificateFault('SOMETHING_NEW')).toBe('SOMETHING_NEW')
  })
})

describe('lines have a budget', () => {
  test('what is held back is counted, and told with the first line of the next period', () => {
    const budget = new LineBudget(2, 1_000)
    expect([0, 1, 2, 3].map((ms) => budget.spend(ms))).toEqual([0, 0, undefined, undefined])
    expect(budget.spend(1_000)).toBe(2)
    expect(budget.spend(1_001)).toBe(0)
  })

  test('only a new reason, another subject or a long time makes a line worth repeating', () => {
    const repetitions = new Repetitions(1_000)
    expect(repetitions.isNews('a', 'expired', 0)).toBe(true)
    expect(repetitions.isNews('a', 'expired', 999)).toBe(false)
    expect(repetitions.isNews('b', 'expired', 999)).toBe(true)
    expect(repetitions.isNews('a', 'expired', 1_000)).toBe(true)
    expect(repetitions.isNews('a', 'revoked', 1_001)).toBe(true)
  })

  test('two lines that take turns are allowed once each', () => {
    const repetitions = new Repetitions(1_000)
    const allowed = [0, 1, 2, 3].map((nowMs) =>
      repetitions.isNews('a', nowMs % 2 === 0 ? 'expired' : 'closed', nowMs),
    )
    expect(allowed).toEqual([true, true, false, false])
    expect(repetitions.isNews('a', 'expired', 1_000)).toBe(true)
  })

  test('a thousand strangers do not make the memory of lines grow', () => {
    const repetitions = new Repetitions(1_000)
    for (let n = 0; n < 1_000; n++) repetitions.isNews(`stranger ${n}`, 'expired', 0)
    expect(repetitions.isNews('one more', 'expired', 0)).toBe(true)
    expect(repetitions.isNews('stranger 999', 'expired', 0)).toBe(true)
  })
})

describe('a change of files', () => {
  const seen = (looks: string) => {
    const change = new QuietChange()
    return [...looks].map((look) => change.see(look))
  }

  test('counts once it has come to rest', () => {
    expect(seen('aabb')).toEqual([false, true, false, true])
  })

  test('is one change, however many files it takes', () => {
    expect(seen('aabcdd')).toEqual([false, true, false, false, false, true])
  })

  test('counts once, and not when it is taken back', () => {
    expect(seen('aabbbb')).toEqual([false, true, false, true, false, false])
    expect(seen('aabaa')).toEqual([false, true, false, false, false])
  })
})

test('relative paths are relative to dir', () => {
  const options = inFolder({ ...NO_TLS, certFile: 'a.crt', keyFile: '/k/a.key' }, '/etc/redis')
  expect(tlsPaths(options)).toEqual(['/etc/redis/a.crt', '/k/a.key'])
})

describe.skipIf(!HAS_OPENSSL)('files (needs openssl)', () => {
  let certificates: Certificates
  let authority: Pair
  let own: Pair

  beforeAll(() => {
    certificates = new Certificates()
    authority = certificates.authority('authority')
    own = certificates.issue(authority, 'own')
  })
  afterAll(() => certificates.remove())

  const create = (more: Partial<TlsOptions> = {}) =>
    createTlsContexts(tlsOptions(own, authority, more), Date.now())
  const write = (name: string, text: string) => {
    writeFileSync(certificates.path(name), text)
    return certificates.path(name)
  }

  test('the log is told whose certificate it is, and until when', () => {
    expect(create().summary).toMatch(/^certificate CN=own, valid until \w+ .* GMT$/)
  })

  test('a missing file is told with its directive', () => {
    const path = certificates.path('nowhere.crt')
    expect(refusal(() => create({ certFile: path }))).toBe(
      `E_TLS tls-cert-file ${path}: there is no such file`,
    )
  })

  test('a folder is no certificate', () => {
    const path = certificates.folder
    expect(refusal(() => create({ caCertFile: path }))).toBe(
      `E_TLS tls-ca-cert-file ${path}: it is a folder`,
    )
  })

  test('a file that holds something else is told', () => {
    const path = write('text.crt', 'not a certificate\n')
    const reason = 'no certificate in PEM form'
    expect(refusal(() => create({ certFile: path }))).toBe(`E_TLS tls-cert-file ${path}: ${reason}`)
    expect(refusal(() => create({ caCertFile: path }))).toBe(
      `E_TLS tls-ca-cert-file ${path}: ${reason}`,
    )
    expect(refusal(() => create({ keyFile: path }))).toBe(
      `E_TLS tls-key-file ${path}: no private key in PEM form`,
    )
  })

  test('a key that does not belong to its certificate is told', () => {
    expect(refusal(() => create({ keyFile: authority.key }))).toBe(
      `E_TLS tls-key-file ${authority.key}: it is not the key of the certificate ${own.cert}`,
    )
  })

  test('an encrypted key wants its passphrase, and the right one', () => {
    const locked = certificates.issue(authority, 'locked', { passphrase: 'open sesame' })
    const files = { certFile: locked.cert, keyFile: locked.key }
    expect(refusal(() => create(files))).toBe(
      `E_TLS tls-key-file ${locked.key}: the key is encrypted`,
    )
    expect(refusal(() => create({ ...files, keyFilePass: 'close sesame' }))).toBe(
      `E_TLS tls-key-file ${locked.key}: wrong passphrase`,
    )
    expect(create({ ...files, keyFilePass: 'open sesame' }).warnings).toEqual([])
  })

  test('an expired certificate is a warning', () => {
    const old = certificates.issue(authority, 'old', { days: -1 })
    const { warnings } = create({ certFile: old.cert, keyFile: old.key })
    expect(warnings).toEqual([
      expect.stringMatching(/tls-cert-file .*old\.crt: the certificate has expired on .* GMT$/),
    ])
  })

  test('a certificate whose time has not come is a warning', () => {
    const { warnings } = createTlsContexts(tlsOptions(own, authority), 0)
    expect(warnings[0]).toMatch(/the certificate is not valid before .* GMT$/)
  })

  test('who listens needs a certificate, who only opens connections does not', () => {
    const none = { certFile: '', keyFile: '' }
    expect(refusal(() => create(none))).toBe('E_TLS tls-cert-file is missing: tls-port needs it')
    expect(create({ ...none, port: 0 }).summary).toBe('no certificate of our own')
    expect(refusal(() => create({ keyFile: '' }))).toBe(
      'E_TLS tls-key-file is missing: tls-cert-file needs it',
    )
  })

  test('an authority is needed unless nobody has to show a certificate', () => {
    const none = { caCertFile: '' }
    const missing = 'E_TLS tls-ca-cert-file or tls-ca-cert-dir is missing'
    expect(refusal(() => create(none))).toBe(`${missing}: tls-auth-clients needs it`)
    expect(refusal(() => create({ ...none, authClients: 'no' }))).toBe(
      `${missing}: tls-replication needs it`,
    )
    create({ ...none, authClients: 'no', replication: false })
  })

  test('every PEM file of tls-ca-cert-dir counts, whatever its name', () => {
    const folder = certificates.path('authorities')
    mkdirSync(folder)
    const files = { caCertFile: '', caCertDir: folder }
    expect(refusal(() => create(files))).toBe(
      `E_TLS tls-ca-cert-dir ${folder}: no certificate in PEM form`,
    )
    writeFileSync(`${folder}/README`, 'no certificate')
    copyFileSync(authority.cert, `${folder}/any.name`)
    expect(create(files).listening.ca).toHaveLength(1)
  })

  test('nobody is believed who is not configured', () => {
    const { listening } = create({ caCertFile: '', authClients: 'no', replication: false })
    expect(listening.ca).toEqual([])
  })

  test('ciphers that nobody knows are told', () => {
    expect(refusal(() => create({ ciphers: 'ROT13' }))).toMatch(
      /^E_TLS tls-ciphers: "ROT13" names no cipher known here/,
    )
    expect(refusal(() => create({ cipherSuites: 'TLS_ROT13' }))).toMatch(
      /^E_TLS tls-ciphersuites: "TLS_ROT13" names no cipher known here/,
    )
  })

  test('a list that has only ciphers of the other kind is refused', () => {
    for (const cipherSuites of ['ROT13', 'ECDHE-RSA-AES128-GCM-SHA256']) {
      expect(refusal(() => create({ cipherSuites }))).toMatch(
        /^E_TLS tls-ciphersuites: .*tls-ciphersuites is for TLS 1.3/,
      )
    }
    expect(refusal(() => create({ ciphers: 'TLS_AES_128_GCM_SHA256' }))).toMatch(
      /^E_TLS tls-ciphers: .*tls-ciphersuites is for TLS 1.3/,
    )
  })

  test('a cipher in the list of the other kind does not count, and is told', () => {
    const mixed = create({ cipherSuites: 'TLS_AES_128_GCM_SHA256:AES256-SHA' })
    expect(mixed.listening.ciphers).not.toContain('AES256-SHA:')
    expect(mixed.listening.ciphers).toMatch(/^TLS_AES_128_GCM_SHA256:ECDHE/)
    expect(mixed.warnings[0]).toMatch(/^tls-ciphersuites: AES256-SHA does not count/)
  })

  test('Diffie-Hellman parameters are taken, and other files are not', () => {
    create({ dhParamsFile: certificates.dhParams('dh.pem') })
    expect(refusal(() => create({ dhParamsFile: own.cert }))).toBe(
      `E_TLS tls-dh-params-file ${own.cert}: no Diffie-Hellman parameters in PEM form`,
    )
  })

  test('no log line and no error shows a passphrase or a key', () => {
    const lines: string[] = []
    const locked = certificates.issue(authority, 'secret', { passphrase: 'open sesame' })
    const options = tlsOptions(locked, authority, { keyFilePass: 'open sesame' })
    const tls = new Tls(options, (_level, text) => lines.push(text))
    tls.reload()
    write('secret.key', 'broken')
    expect(tls.reload()).toBe(false)
    lines.push(refusal(() => create({ ...options, keyFilePass: 'close sesame' })))
    expect(lines.join('\n')).not.toMatch(/sesame|PRIVATE KEY-/)
  })

  test('broken new files leave the old ones in use', () => {
    const lines: string[] = []
    const pair = certificates.issue(authority, 'renewed')
    const tls = new Tls(tlsOptions(pair, authority), (level, text) =>
      lines.push(`${level} ${text}`),
    )
    const before = tls.contexts
    write('renewed.crt', 'broken')
    expect(tls.reload()).toBe(false)
    expect(tls.contexts).toBe(before)
    expect(lines.at(-1)).toBe(
      `warning TLS: changed files are not used, the old ones stay in use: tls-cert-file ${pair.cert}: ` +
        'no certificate in PEM form; it begins with BEGIN CERTIFICATE',
    )
    certificates.issue(authority, 'renewed')
    expect(tls.reload()).toBe(true)
    expect(tls.contexts).not.toBe(before)
    expect(lines.at(-1)).toMatch(
      /^notice TLS: new connections use new files: certificate CN=renewed/,
    )
  })

  test('a certificate that expires soon is a warning with the days that are left', () => {
    const short = certificates.issue(authority, 'short', { days: 5 })
    const lines: string[] = []
    const tls = new Tls(tlsOptions(short, authority), (level, text) =>
      lines.push(`${level} ${text}`),
    )
    const warning = expect.stringMatching(
      /^warning TLS: tls-cert-file .*short\.crt: the certificate expires in [45] days, on \w{3} \d\d? .* GMT: renew it/,
    )
    expect(lines.slice(1)).toEqual([warning])
    expect(tls.certificates).toEqual([
      expect.objectContaining({ directive: 'tls-cert-file', path: short.cert }),
      expect.objectContaining({ directive: 'tls-ca-cert-file', path: authority.cert }),
    ])
    expect(create().warnings).toEqual([])
  })

  test('of a chain, the certificate that expires first is told', () => {
    const old = certificates.issue(authority, 'between', { days: -1 })
    const chain = write('chain.crt', textOf(own.cert) + textOf(old.cert))
    expect(create({ certFile: chain }).warnings).toEqual([
      expect.stringMatching(
        /^tls-cert-file .*chain\.crt: the certificate CN=between of the chain has expired on /,
      ),
    ])
  })

  test('an authority that expires is told, unless another one stays', () => {
    const old = certificates.issue(authority, 'old authority', { days: -1 })
    const { warnings } = create({ caCertFile: old.cert })
    expect(warnings).toEqual([
      expect.stringMatching(/^tls-ca-cert-file .*: the authority CN=old authority has expired on /),
    ])
    const both = write('both.crt', textOf(old.cert) + textOf(authority.cert))
    expect(create({ caCertFile: both }).warnings).toEqual([])
  })

  test('an expired certificate does not replace a valid one, and a valid one replaces it', () => {
    const lines: string[] = []
    const pair = certificates.issue(authority, 'relapse')
    const tls = new Tls(tlsOptions(pair, authority), (level, text) =>
      lines.push(`${level} ${text}`),
    )
    const before = tls.contexts
    certificates.issue(authority, 'relapse', { days: -1 })
    expect(tls.reload()).toBe(false)
    expect(tls.contexts).toBe(before)
    expect(lines.at(-1)).toMatch(
      /old ones stay in use: tls-cert-file .*: the certificate has expired on .* GMT, and the one in use is still valid; put a renewed/,
    )
    const old = new Tls(tlsOptions(pair, authority), () => undefined)
    certificates.issue(authority, 'relapse')
    expect(old.reload()).toBe(true)
  })

  test('a reload names what has changed', () => {
    const lines: string[] = []
    const trusted = certificates.path('trusted.crt')
    copyFileSync(authority.cert, trusted)
    const pair = certificates.issue(authority, 'stays')
    const options = tlsOptions(pair, authority, { caCertFile: trusted })
    const tls = new Tls(options, (_level, text) => lines.push(text))
    copyFileSync(certificates.authority('another').cert, trusted)
    tls.reload()
    expect(lines.at(-1)).toMatch(
      /^TLS: new connections use new files: trusted authorities CN=another, valid until .* GMT$/,
    )
    tls.change({ ...options, authClients: 'no' }, undefined)
    expect(lines.at(-1)).toBe('TLS: new connections use the new settings')
    tls.change(
      { ...options, authClients: 'no', clientCertFile: own.cert, clientKeyFile: own.key },
      undefined,
    )
    expect(lines.at(-1)).toMatch(
      /^TLS: new connections use new files: for connections we open certificate CN=own/,
    )
    expect(lines).toHaveLength(4)
  })

  test('reading the same files again is nothing to tell', () => {
    const lines: string[] = []
    const tls = new Tls(tlsOptions(own, authority), (_level, text) => lines.push(text))
    tls.reload()
    expect(lines).toHaveLength(1)
  })
})
