import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChangeJournal } from './change-journal.ts'

it('counts each object by its last row, and keeps what undoes it', () => {
  const state = fc.constantFrom('{"a":1}', '{"a":2}')
  const rows = fc.array(fc.record({ key: fc.constantFrom('1', '2', '3'), after: state }))
  const stored = fc.dictionary(fc.constantFrom('1', '2', '3'), state, { noNullPrototype: true })
  fc.assert(
    fc.property(stored, rows, (before, sent) => {
      const journal = new ChangeJournal()
      for (const { key, after } of sent) journal.add(key, before[key], after)
      const last = new Map(sent.map(({ key, after }) => [key, after]))
      const changes = [...last].map(([key, after]) => ({ key, before: before[key], after }))
      const changed = changes.filter((change) => change.before !== change.after)
      expect([...journal.entries].toSorted((a, b) => a.key.localeCompare(b.key))).toEqual(
        changed.toSorted((a, b) => a.key.localeCompare(b.key)),
      )
      const created = changed.filter((change) => change.before === undefined).length
      expect(journal.counts).toEqual({
        created,
        changed: changed.length - created,
        unchanged: changes.length - changed.length,
      })
      expect([journal.isFull, journal.isExact]).toEqual([false, true])
    }),
  )
})

it('keeps nothing beyond its limit, still counts, and says when a count is not exact', () => {
  const journal = new ChangeJournal(20)
  journal.add('1', undefined, '{"a":1}')
  expect(journal.isFull).toBe(false)
  journal.add('2', '{"a":1}', '{"a":2}')
  expect([journal.isFull, [...journal.entries]]).toEqual([true, []])
  journal.add('3', '{"a":1}', '{"a":1}')
  expect(journal.counts).toEqual({ created: 1, changed: 1, unchanged: 1 })
  expect(journal.isExact).toBe(true)
  journal.add('2', '{"a":1}', '{"a":1}')
  expect(journal.counts).toEqual({ created: 1, changed: 1, unchanged: 1 })
  expect(journal.isExact).toBe(false)
})
