import { expect, test } from 'vitest'
import { listen, listenFailure } from '../../../src/io/network/listener.ts'

test('a port that cannot be opened for want of files is no fault of its address', () => {
  const error = Object.assign(new Error('listen EMFILE'), { code: 'EMFILE' })
  expect(listenFailure(error, '::', 6_379)).toMatchObject({
    message: 'cannot listen on [::]:6379: too many open files (EMFILE)',
    hint: 'raise the limit (ulimit -n, LimitNOFILE of the unit)',
  })
})

test('without an address to bind to, nothing is opened, and never all addresses', async () => {
  await expect(listen({ addresses: [], port: 41_990 })).rejects.toMatchObject({
    message: 'cannot listen: bind names no address',
  })
})
