import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { StatementCache } from '../file/statement-cache.ts'
import { KnownFields } from './known-fields.ts'
import { toTableLayout } from './table-layout.ts'

it('reads fields again for another generation, type or layout only', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(`CREATE TABLE oqs_object_field (
    number INTEGER PRIMARY KEY, object_type_id INTEGER, property TEXT, struct_field TEXT
  )`)
  const add = db.prepare('INSERT INTO oqs_object_field (object_type_id, property) VALUES (?, ?)')
  const fields = new KnownFields(new StatementCache(db))
  const plain = toTableLayout([2, 'key', '[]', '[]', 1])
  const withLongText = toTableLayout([2, 'key', '["text"]', '[]', 1])
  const withTimes = toTableLayout([2, 'key', '[]', '["text"]', 1])
  const indexedLater = toTableLayout([2, 'key', '[]', '[]', 2])
  add.run(1, 'text')

  const first = fields.read({ generation: 1, typeId: 1 }, plain)
  expect(first.propertySql('text').value).toBe('o.p1')
  expect(fields.read({ generation: 1, typeId: 1 }, toTableLayout([2, 'key', '[]', '[]', 1]))).toBe(
    first,
  )
  expect(fields.read({ generation: 1, typeId: 1 }, withLongText).layout).toBe(withLongText)
  expect(fields.read({ generation: 1, typeId: 1 }, withTimes).layout).toBe(withTimes)
  expect(fields.read({ generation: 1, typeId: 1 }, indexedLater).layout).toBe(indexedLater)

  add.run(1, 'added')
  add.run(2, 'other')
  const added = { property: 'added', structField: undefined }
  expect(fields.read({ generation: 2, typeId: 1 }, plain).has(added)).toBe(true)
  expect(fields.read({ generation: 2, typeId: 2 }, plain).has(added)).toBe(false)
})
