/** What `vedette proxy` says of a command line that does not fit, before it opens anything. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readProxySetup } from '../../../src/cli/proxy/proxy-setup.ts'

const GROUP = { sentinel: ['10.0.0.1'], group: ['mymaster'], port: [6400] }

describe('options beside a file, which SIGHUP reads again without them, are refused by name', () => {
  test.each([
    [{ hold: 500 }, '--hold is not taken beside proxy.yml'],
    [{ readPort: [6401] }, '--read-port is not taken beside proxy.yml'],
    [{ tlsClients: true }, '--tls-clients is not taken beside proxy.yml'],
  ])('%j', (options, words) => {
    expect(() => readProxySetup('proxy.yml', options)).toThrow(words)
  })
})

test('a second address behind one --sentinel is told how it is named', () => {
  const read = () => readProxySetup('10.0.0.2:26379', GROUP)
  expect(read).toThrow('10.0.0.2:26379 is no file')
  expect(read).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('--sentinel 10.0') }),
  )
})

describe('TLS without its files is told in the words of the command line', () => {
  test.each([
    [{ tlsClients: true }, '--tls-clients needs --cert'],
    [{ tlsClients: true, cert: 'own.crt' }, '--tls-clients needs --key'],
    [{ cert: 'own.crt' }, '--cert needs --key'],
    [{ key: 'own.key' }, '--key needs --cert'],
    [{ tls: true }, '--tls needs --cacert'],
  ])('%j', (options, words) => {
    expect(() => readProxySetup(undefined, { ...GROUP, ...options })).toThrow(words)
  })

  test('with them it is as asked', () => {
    const pem = fileURLToPath(import.meta.url)
    const options = { tlsClients: true, cert: pem, key: pem, tls: true, cacert: pem }
    expect(readProxySetup(undefined, { ...GROUP, ...options }).tls).toMatchObject({
      ...{ certFile: pem, keyFile: pem, caCertFile: pem, replication: true },
    })
  })
})
