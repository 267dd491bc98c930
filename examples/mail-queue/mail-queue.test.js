const { clusterTest } = require('vedette/jest')
const { MailQueue } = require('./mail-queue.js')

const test = clusterTest({ replicas: 1, downAfterMs: 200 })

test('every mail is sent, although the master is killed in the middle', async ({ cluster }) => {
  const sent = new Set()
  const mails = new MailQueue(cluster.addresses, ({ to }) => void sent.add(to))
  try {
    for (let number = 1; number <= 20; number++) await mails.post({ to: `customer ${number}` })
    await cluster.until.replicated()
    cluster.master.kill()
    await cluster.until.switched()
    for (let number = 21; number <= 40; number++) await mails.post({ to: `customer ${number}` })
    await cluster.until.true('all mails', () => (sent.size < 40 ? [`${sent.size} of 40`] : []))
    expect(sent.size).toBe(40)
  } finally {
    await mails.close()
  }
}, 60_000)
