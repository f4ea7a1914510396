/** The JSON of keys and titles must be what it was before it was left out of the row. */
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { KEY_JSON, ROW_BYTES, rowBytes, storedKey, storedTitle, TITLE_JSON } from './row-texts.ts'

const text = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\n', 'é', '\u{1f600}') })

it('reads keys and titles as they were written', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE rows (
    id INTEGER PRIMARY KEY, pk TEXT, key TEXT, title TEXT, title_place INTEGER, body TEXT) STRICT`)
  const add = db.prepare('INSERT INTO rows VALUES (1, ?, ?, ?, ?, ?)')
  const read = db.prepare(
    `SELECT ${KEY_JSON} AS key, ${TITLE_JSON} AS title, ${ROW_BYTES} AS bytes FROM rows AS o`,
  )
  const titles = fc.oneof(
    text,
    fc.constant(undefined),
    fc.nat(5000).map((length) => 'é'.repeat(length)),
  )
  fc.assert(
    fc.property(text, text, titles, fc.boolean(), (pk, before, named, isInBody) => {
      const title = named === undefined ? null : JSON.stringify(named)
      const body = JSON.stringify({ before, ...(isInBody && { named }), after: pk })
      for (const key of [JSON.stringify(pk), '"42"']) {
        const ownKey = storedKey({ pk, key })
        const own = storedTitle({ title, body })
        const [ownTitle, place] = typeof own === 'number' ? [null, own] : [own, null]
        db.exec('DELETE FROM rows')
        add.run(pk, ownKey, ownTitle, place, body)
        const bytes = rowBytes(pk, ownKey, own, body)
        expect({ ...read.get() }).toEqual({ key, title, bytes })
      }
    }),
    fcOptions(1000, 100),
  )
})
