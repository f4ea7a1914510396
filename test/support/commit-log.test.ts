import { describe, expect, it } from 'vitest'
import { CommitLog, type WrittenObject } from './commit-log.ts'

/** Logs the batches of two writers, and returns the objects after each commit. */
function twoWriters(): { log: CommitLog; states: WrittenObject[][] } {
  const log = new CommitLog(2)
  const objects = new Map(log.fixed().map((object) => [object.n, object]))
  const states: WrittenObject[][] = []
  for (let version = 1; version <= 10; version += 1) {
    const writer = version % 2
    const { number, changes } = log.next(writer)
    for (const change of changes) {
      if ('put' in change) objects.set(change.put.n, change.put)
      else objects.delete(change.delete)
    }
    log.acknowledge(writer, number, version, true)
    states.push([...objects.values()].sort((a, b) => a.n - b.n))
  }
  return { log, states }
}

const NOTHING = [-1, -1]

describe('the commit log', () => {
  it('accepts every state that existed', () => {
    const { log, states } = twoWriters()
    for (const state of states.slice(1)) {
      log.checkMoment(log.checkSnapshot(state, NOTHING))
      log.checkDefault(state)
    }
  })

  it('detects an object that is lost, doubled, out of order or of another batch', () => {
    const { log, states } = twoWriters()
    const last = states.at(-1) ?? []
    const changed = [
      last.filter((_, at) => at !== 50),
      last.toSpliced(50, 0, ...last.slice(50, 51)),
      last.toSpliced(50, 2, ...last.slice(50, 52).toReversed()),
      last.map((object, at) => (at === 50 ? { ...object, text: '77' } : object)),
      last.slice(0, -1),
      [...last, { n: 99_999, text: '1' }],
    ]
    for (const wrong of changed) expect(() => log.checkSnapshot(wrong, NOTHING)).toThrow()
    const [lost, doubled, exchanged] = changed
    expect(() => log.checkDefault(doubled ?? [])).toThrow('out of order')
    expect(() => log.checkDefault(exchanged ?? [])).toThrow('out of order')
    expect(() => log.checkDefault((lost ?? []).filter(({ n }) => n % 7 > 0))).toThrow('unchanged')
  })

  it('detects an acknowledged batch that is missing', () => {
    const { log, states } = twoWriters()
    expect(() => log.checkSnapshot(states[5] ?? [], log.acknowledged())).toThrow('acknowledged')
  })

  it('detects a mixture of two states', () => {
    const { log, states } = twoWriters()
    const [early, late] = [states[3] ?? [], states.at(-1) ?? []]
    const mixture = [
      ...early.filter(({ n }) => n % 3 === 0),
      ...late.filter(({ n }) => n % 3 > 0),
    ].sort((a, b) => a.n - b.n)
    const sight = log.checkSnapshot(mixture, NOTHING)
    expect(() => log.checkMoment(sight)).toThrow('is missing')
  })
})
