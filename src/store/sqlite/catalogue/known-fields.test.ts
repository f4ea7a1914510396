import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { SqliteSession } from '../file/sqlite-session.ts'
import { StatementCache } from '../file/statement-cache.ts'
import { KnownFields } from './known-fields.ts'
import { toTableLayout } from './table-layout.ts'

it('reads fields again for another generation, type or layout only', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE oqs_object_field (
    number INTEGER PRIMARY KEY, object_type_id INTEGER, property TEXT, struct_field TEXT,
    value_type TEXT DEFAULT 'any', element_type TEXT, has_long_text INTEGER DEFAULT 0,
    is_key INTEGER DEFAULT 0
  )`)
  const add = db.prepare('INSERT INTO oqs_object_field (object_type_id, property) VALUES (?, ?)')
  const fields = new KnownFields(new SqliteSession(db, new StatementCache(db)))
  const plain = toTableLayout([1, '[]', 1])
  const withLongText = toTableLayout([1, '["text"]', 1])
  const indexedLater = toTableLayout([1, '[]', 2])
  add.run(1, 'text')

  const first = fields.read({ generation: 1, typeId: 1 }, plain)
  expect(first.propertySql('text').value).toBe('o.p1')
  expect(fields.read({ generation: 1, typeId: 1 }, toTableLayout([1, '[]', 1]))).toBe(first)
  expect(fields.read({ generation: 1, typeId: 1 }, withLongText).layout).toBe(withLongText)
  expect(fields.read({ generation: 1, typeId: 1 }, indexedLater).layout).toBe(indexedLater)

  add.run(1, 'added')
  add.run(2, 'other')
  const added = { property: 'added', structField: undefined }
  expect(fields.read({ generation: 2, typeId: 1 }, plain).has(added)).toBe(true)
  expect(fields.read({ generation: 2, typeId: 2 }, plain).has(added)).toBe(false)
})
