import { describe, expect, test } from 'vitest'
import { Account } from './after-run-support.ts'

describe('replicas refuse writes', () => {
  const NAME = 'replicas refuse writes'

  test('a write that a replica acknowledged is caught', () => {
    expect(new Account().until(10_000).writes('n2').until(20_000).violations).toEqual([NAME])
  })

  test('one that was on its way when the master became a replica is none', () => {
    const account = new Account().until(10_000).writes('n1').until(10_001).linked('n1', 'n2')
    expect(account.master('n2').until(20_000).violations).toEqual([])
  })

  test('one whose answer came when the replica had been promoted is none', () => {
    const account = new Account().until(10_000).writes('n2').until(10_001).master('n2')
    expect(account.until(20_000).violations).toEqual([])
  })

  test('who may write to replicas by its settings may do so', () => {
    const account = new Account({ 'replica-read-only': 'no' }).until(10_000).writes('n2')
    expect(account.until(20_000).violations).toEqual([])
  })
})

describe('min-replicas-to-write holds', () => {
  const NAME = 'min-replicas-to-write holds'
  const SETTINGS = { 'min-replicas-to-write': '1', 'min-replicas-max-lag': '2' }
  const PARTITION = {
    kind: 'partition',
    groups: [
      ['a', 'd'],
      ['b', 'c'],
    ],
  } as const

  test('writes of a master without replicas are caught when the lag is over', () => {
    const account = new Account(SETTINGS).until(10_000).does(PARTITION)
    expect(account.until(14_000).writes('n1').violations).toEqual([])
    expect(account.until(16_000).writes('n1').until(20_000).violations).toEqual([NAME])
  })

  test('an acknowledgement that a partition held back counts when it arrives', () => {
    const account = new Account(SETTINGS).until(10_000).does(PARTITION).until(12_000)
    account.status('n2', 'paused').status('n3', 'paused').does({ kind: 'heal' })
    expect(account.until(18_000).writes('n1').until(21_000).violations).toEqual([])
    expect(account.until(24_000).writes('n1').until(25_000).violations).toEqual([NAME])
  })

  test('so does the last word of a replica that goes on where nothing reaches it any more (seed 26191)', () => {
    const account = new Account(SETTINGS).until(10_000).status('n2', 'paused')
    account.status('n3', 'paused').until(14_000).does({ kind: 'cut', from: 'a', to: 'b' })
    account.until(16_000).status('n2', 'running')
    expect(account.until(16_100).writes('n1').until(19_000).violations).toEqual([])
    expect(account.until(24_000).writes('n1').until(25_000).violations).toEqual([NAME])
  })

  test('one replica that can be heard of is enough', () => {
    const account = new Account(SETTINGS).until(10_000).status('n2', 'down').until(16_000)
    expect(account.writes('n1').until(20_000).violations).toEqual([])
  })

  test('a replica that follows somebody else cannot be heard of', () => {
    const account = new Account(SETTINGS).until(10_000).linked('n2', 'n3').master('n3')
    expect(account.until(16_000).writes('n1').until(20_000).violations).toEqual([NAME])
  })

  test('replicas that hang are not heard of', () => {
    const account = new Account(SETTINGS).until(10_000)
    account.status('n2', 'paused').status('n3', 'paused').until(16_000).writes('n1')
    expect(account.until(20_000).violations).toEqual([NAME])
  })

  test('replicas that hear nothing of their master are soon not heard of either', () => {
    const account = new Account(SETTINGS).until(10_000)
    account.does({ kind: 'cut', from: 'a', to: 'b' }).does({ kind: 'cut', from: 'a', to: 'c' })
    // One more word of each: it has not heard yet that nobody hears it.
    expect(account.until(15_900).writes('n1').violations).toEqual([])
    expect(account.until(16_200).writes('n1').until(20_000).violations).toEqual([NAME])
  })

  test('a master that was stopped for long has heard of nobody meanwhile', () => {
    const account = new Account(SETTINGS).until(10_000).status('n1', 'paused')
    account.until(12_000).master('n2').linked('n3', 'n2').until(14_000).status('n1', 'running')
    expect(account.writes('n1').until(20_000).violations).toEqual([NAME])
  })

  test('what it had answered before it was stopped may be heard when it goes on', () => {
    const account = new Account(SETTINGS).until(9_999).writes('n1', 'kept', undefined, 4_500)
    account.until(10_000)
    account.status('n1', 'paused').master('n2').linked('n3', 'n2')
    expect(account.until(14_000).status('n1', 'running').until(20_000).violations).toEqual([])
  })

  test('replicas that still follow it when it goes on may have acknowledged again', () => {
    const account = new Account(SETTINGS).until(10_000).status('n1', 'paused').until(14_000)
    account.status('n1', 'running').until(14_010).writes('n1').until(14_100).master('n2')
    expect(account.linked('n3', 'n2').until(20_000).violations).toEqual([])
  })

  test('a short stop makes what it had counted before so much older', () => {
    const account = new Account(SETTINGS).until(10_000).does(PARTITION).until(14_000)
    account.status('n1', 'paused').until(15_500).status('n1', 'running')
    expect(account.until(15_900).writes('n1').violations).toEqual([])
    expect(account.until(18_000).writes('n1').until(20_000).violations).toEqual([NAME])
  })

  test('without the setting every write is right', () => {
    const account = new Account().until(10_000).does(PARTITION).until(16_000).writes('n1')
    expect(account.until(20_000).violations).toEqual([])
  })

  test('acknowledgements may be on a slow way for any time', () => {
    const slow = {
      kind: 'shape',
      from: undefined,
      to: undefined,
      shape: { latencyMs: 900 },
    } as const
    const account = new Account(SETTINGS).does(slow).until(10_000).does(PARTITION)
    expect(account.until(16_000).writes('n1').until(20_000).violations).toEqual([])
  })
})

describe('WAIT promises no more than there is', () => {
  const NAME = 'WAIT promises no more than there is'

  test('a replica that died before the write was sent cannot have it', () => {
    const account = new Account().until(10_000).kill('n3').until(10_001).asks('n1', 'INCR c', 1)
    expect(account.asks('n1', 'WAIT 2 40', 1).violations).toEqual([])
    expect(account.asks('n1', 'WAIT 2 40', 2).violations).toEqual([NAME])
    expect(account.asks('n1', 'WAITAOF 0 2 40', [1, 2]).violations).toEqual([NAME, NAME])
  })

  test('one that died after the write was sent may have said that it has it', () => {
    const account = new Account().until(10_000).asks('n1', 'INCR c', 1).kill('n3').until(10_001)
    expect(account.asks('n1', 'WAIT 2 40', 2).violations).toEqual([])
  })

  test('one that is cut off and follows nobody new has said nothing since', () => {
    const account = new Account().until(10_000).does({ kind: 'cut', from: 'a', to: 'c' })
    account.does({ kind: 'cut', from: 'c', to: 'a' }).until(13_000).asks('n1', 'SET s1 v', 'OK')
    expect(account.asks('n1', 'WAIT 2 40', 2, 40).violations).toEqual([NAME])
  })

  test('what may have changed nothing says nothing, nor does what was refused', () => {
    const account = new Account().until(10_000).asks('n1', 'INCR c', 1).until(10_001).kill('n3')
    account.until(12_000).asks('n1', 'DEL c', 0).asks('n1', 'SET c 1 NX', null)
    account.asks('n1', 'INCR c', { error: 'NOREPLICAS' })
    expect(account.asks('n1', 'WAIT 2 40', 2).violations).toEqual([])
  })
})

describe('replicated writes survive', () => {
  const NAME = 'replicated writes survive'

  /** n1 dies some time after a write, and n2 takes its place. */
  function failedOver(account: Account): Account {
    account.until(20_000).kill('n1').unlinked('n2', 'n1').unlinked('n3', 'n1')
    account.until(21_200).master('n2').linked('n3', 'n2').writes('n2').endsWith('n2')
    return account.until(40_000)
  }

  test('increments are not judged one by one: only their number is known', () => {
    const increment = { kind: 'increment', counter: 'visits' } as const
    const account = new Account().until(15_000).writes('n1', 'lost', increment)
    expect(failedOver(account).violations).toEqual([])
  })

  test('a write that the promoted replica had and lost is caught', () => {
    const account = new Account().until(15_000).writes('n1', 'lost')
    expect(failedOver(account).violations).toEqual([NAME])
  })

  test('one that had no time to be replicated may be lost', () => {
    const account = new Account().until(19_999).writes('n1', 'lost')
    expect(failedOver(account).violations).toEqual([])
  })

  test('one the promoted replica could not be sent may be lost', () => {
    const account = new Account().until(14_000).does({ kind: 'cut', from: 'a', to: 'b' })
    expect(failedOver(account.until(15_000).writes('n1', 'lost')).violations).toEqual([])
  })

  test('one the promoted replica copied later may not be lost', () => {
    const account = new Account().until(14_000).does({ kind: 'cut', from: 'a', to: 'b' })
    account.until(15_000).writes('n1', 'lost').until(17_000).does({ kind: 'heal' })
    account.unlinked('n2', 'n1').until(19_000).linked('n2', 'n1')
    expect(failedOver(account).violations).toEqual([NAME])
  })

  test('one whose copy had begun before, and that was cut off meanwhile, may be lost (seed 25324)', () => {
    const account = new Account().until(14_000).unlinked('n2', 'n1').until(14_950)
    account.does({ kind: 'cut', from: 'a', to: 'b' }).until(14_990).writes('n1', 'lost')
    expect(failedOver(account.until(15_000).linked('n2', 'n1')).violations).toEqual([])
  })

  test('a master that comes back without its data takes all writes with it', () => {
    const account = new Account().until(15_000).writes('n1', 'lost').until(20_000).kill('n1')
    account.until(20_100).status('n1', 'running').master('n1').until(21_000)
    expect(account.linked('n2', 'n1').until(40_000).violations).toEqual([])
  })

  test('even if the links of its replicas seem never to have been gone', () => {
    const account = new Account().until(15_000).writes('n1', 'lost').until(20_000).kill('n1')
    account.until(20_010).status('n1', 'running').master('n1')
    account.until(30_000).kill('n1').until(31_000).master('n2').endsWith('n2').writes('n2')
    expect(account.until(40_000).violations).toEqual([])
  })

  test('a write of a deposed master is lost when it follows the new one', () => {
    const account = new Account().until(10_000).unlinked('n2', 'n1').master('n2').linked('n3', 'n2')
    account.until(15_000).writes('n1', 'lost').until(20_000).linked('n1', 'n2').endsWith('n2')
    expect(account.until(40_000).violations).toEqual([])
  })

  describe('with a file', () => {
    const FILE = { appendonly: 'yes' }
    const ALWAYS = { ...FILE, appendfsync: 'always' }

    /** n1 dies this long after a write, and comes back as the master that it was. */
    function restarted(settings: Record<string, string>, diesIn: (account: Account) => Account) {
      const account = new Account(settings).until(15_000).writes('n1', 'lost')
      return diesIn(account).status('n1', 'running').master('n1').until(40_000).violations
    }
    const killed = (account: Account): Account => account.until(15_010).kill('n1').until(15_500)
    const cutOff = (atMs: number) => (account: Account) =>
      account
        .until(atMs)
        .does({ kind: 'powerLoss', hosts: ['a'] })
        .status('n1', 'down')
        .until(20_000)

    test('a killed master comes back with every write that it acknowledged', () => {
      expect(restarted({}, killed)).toEqual([])
      expect(restarted(FILE, killed)).toEqual([NAME])
    })

    test('a power cut takes two seconds at most, or with always nothing', () => {
      expect(restarted(FILE, cutOff(16_000))).toEqual([])
      expect(restarted(FILE, cutOff(18_000))).toEqual([NAME])
      expect(restarted(ALWAYS, cutOff(15_010))).toEqual([NAME])
      expect(restarted({ ...FILE, appendfsync: 'no' }, cutOff(18_000))).toEqual([])
    })

    test('a disk that failed promises nothing, and neither does one that was taken away', () => {
      const failed = (account: Account): Account =>
        killed(account.does({ kind: 'diskFailure', process: 'n1', operation: 'sync', reason: '' }))
      expect(restarted(FILE, failed)).toEqual([])
      const emptied = (account: Account): Account =>
        killed(account).does({ kind: 'restart', processes: ['n1'], disk: 'empty' })
      expect(restarted(FILE, emptied)).toEqual([])
    })
  })

  test('a command may take data away', () => {
    const account = new Account().until(15_000).writes('n1', 'lost').until(19_000)
    account.does({ kind: 'command', process: 'n1', argv: ['FLUSHALL'] })
    expect(failedOver(account).violations).toEqual([])
  })
})

describe('writes return', () => {
  const NAME = 'writes return'

  test('a death of the master that nobody repairs is caught', () => {
    const account = new Account().until(30_000).writes('n1').kill('n1').until(60_000)
    expect(account.violations).toEqual([NAME])
  })

  test('writes that are back in time are right', () => {
    const account = new Account().until(30_000).kill('n1').until(32_000).master('n2').writes('n2')
    expect(account.until(60_000).violations).toEqual([])
  })

  test('when a Sentinel was not well nothing is promised', () => {
    const account = new Account().until(20_000).status('s2', 'down').until(22_000)
    account.status('s2', 'running').until(25_000).kill('n1')
    expect(account.until(60_000).violations).toEqual([])
  })

  test('when more is done before the time is up nothing is promised', () => {
    const account = new Account().until(30_000).kill('n1').until(31_000)
    account.does({ kind: 'clockJump', process: 's1', byMs: 1 })
    expect(account.until(60_000).violations).toEqual([])
  })

  test('without any replica that may be promoted nothing is promised', () => {
    const account = new Account({ 'replica-priority': '0' }).until(30_000).kill('n1')
    expect(account.until(60_000).violations).toEqual([])
  })
})

describe('on real sockets', () => {
  test('a replica that acknowledged a write is caught, however late the world was', () => {
    const account = new Account().until(10_000).writes('n2').until(20_000)
    expect(account.violationsOnSockets(30_000)).toEqual(['replicas refuse writes'])
  })

  test('a lost write that replicas had is caught, unless the world was late', () => {
    const account = new Account().until(15_000).writes('n1', 'lost').until(20_000).kill('n1')
    account.unlinked('n2', 'n1').unlinked('n3', 'n1').until(21_200).master('n2').linked('n3', 'n2')
    account.writes('n2').endsWith('n2').until(40_000)
    expect(account.violationsOnSockets(200)).toEqual(['replicated writes survive'])
    expect(account.violationsOnSockets(2_500)).toEqual([])
  })

  test('what is a claim about milliseconds is not judged', () => {
    const account = new Account({ 'min-replicas-to-write': '1', 'min-replicas-max-lag': '2' })
    account.until(10_000).status('n2', 'down').status('n3', 'down').until(16_000).writes('n1')
    expect(account.until(20_000).violations).toEqual(['min-replicas-to-write holds'])
    expect(account.violationsOnSockets(0)).toEqual([])
  })
})
