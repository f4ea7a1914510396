import { describe, expect, it } from 'vitest'
import { Random } from '../../simulation/random.ts'
import type { TestResponse } from '../service.ts'
import type { Entry } from './entries.ts'
import { type Write, WriterModel } from './writer-model.ts'

function responseTo({ status }: Write, version: number): TestResponse {
  return { status, headers: new Headers(), text: '', body: { version } }
}

function objectsAfter({ after }: Write): Entry[] {
  return [...(after?.values() ?? [])]
}

/** Sends writes until one has changed at least two objects, and returns that one unacknowledged. */
function sendUntilBatch(): {
  writer: WriterModel
  before: Entry[]
  batch: Write
  states: Entry[][]
} {
  const writer = new WriterModel(0, 1000, new Random(1))
  const states: Entry[][] = [[]]
  for (;;) {
    const write = writer.next()
    const before = states.at(-1) ?? []
    const isLarge = write.path === '' && write.after !== undefined && states.length > 5
    if (isLarge) return { writer, before, batch: write, states }
    if (writer.acknowledge(responseTo(write, states.length)) !== undefined) {
      states.push(objectsAfter(write))
    }
  }
}

describe('the model of a writer', () => {
  it('accepts the state after the last acknowledged write, or after the pending one', () => {
    const { writer, before, batch } = sendUntilBatch()
    expect(writer.checkCurrent(before)).toBe(false)
    expect(writer.checkCurrent(objectsAfter(batch))).toBe(true)
  })

  it('finds a lost write, a half-applied batch and an object that was never written', () => {
    const { writer, before, batch, states } = sendUntilBatch()
    const after = objectsAfter(batch)
    const changed = after.filter((entry) => !before.includes(entry))
    const isChanged = new Set(changed.map(({ key }) => key))
    const half = [...before.filter(({ key }) => !isChanged.has(key)), ...changed.slice(1)]
    const [first] = before
    for (const objects of [
      states.at(-2) ?? [],
      half,
      before.slice(1),
      [...before, { ...(first as Entry), key: 'invalid' }],
      before.map((entry, at) => (at === 0 ? { ...entry, count: -1 } : entry)),
    ]) {
      expect(() => writer.checkCurrent(objects)).toThrow('is neither the state after')
    }
  })

  it('knows the versions at which a walk can have seen objects', () => {
    const { writer, states } = sendUntilBatch()
    const last = writer.acknowledged
    expect(last).toBe(states.length - 1)
    expect(writer.versionsOf(states[2] ?? [], 1, 3)).toContainEqual({ first: 2, end: 3 })
    expect(writer.versionsOf(states[last] ?? [], 0, last)).toContainEqual({
      first: last,
      end: Number.POSITIVE_INFINITY,
    })
    writer.forgetBefore(3)
    expect(writer.acknowledged).toBe(last)
    expect(writer.versionsOf(states[3] ?? [], 3, 3)).toEqual([{ first: 3, end: 4 }])
  })

  it('refuses a wrong status and a version that is not new', () => {
    const { writer, batch } = sendUntilBatch()
    expect(() => writer.acknowledge({ ...responseTo(batch, 99), status: 500 })).toThrow('500')
    expect(() => writer.acknowledge(responseTo(batch, 1))).toThrow('not a new one')
  })
})
