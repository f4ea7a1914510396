import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { SqliteSession, StatementCache } from '../file/sqlite-session.ts'
import { KnownFields } from './known-fields.ts'
import { toTableLayout } from './table-layout.ts'

it('reads fields again for another generation, type or layout only', () => {
  using db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE oqs_field_list (object_type_id INTEGER, table_id INTEGER, fields TEXT)')
  const save = (typeId: number, ...properties: readonly string[]) => {
    const list = properties.map((property, at) => ({ property, valueType: 'any', number: at + 1 }))
    db.prepare('DELETE FROM oqs_field_list WHERE object_type_id = ?').run(typeId)
    db.prepare('INSERT INTO oqs_field_list VALUES (?, 0, ?)').run(typeId, JSON.stringify(list))
  }
  const fields = new KnownFields(new SqliteSession(db, new StatementCache(db)))
  const plain = toTableLayout(['[]', '{}', 1])
  const withLongText = toTableLayout(['["text"]', '{}', 1])
  const indexedLater = toTableLayout(['[]', '{}', 2])
  const withFreeText = toTableLayout(['[]', '{"text":"freeText"}', 1])
  save(1, 'text')

  const first = fields.read({ generation: 1, typeId: 1 }, plain)
  expect(first.propertySql('text').value).toBe('o.p1')
  expect(fields.read({ generation: 1, typeId: 1 }, toTableLayout(['[]', '{}', 1]))).toBe(first)
  expect(fields.read({ generation: 1, typeId: 1 }, withLongText).layout).toBe(withLongText)
  expect(fields.read({ generation: 1, typeId: 1 }, withFreeText).layout).toBe(withFreeText)
  expect(fields.read({ generation: 1, typeId: 1 }, indexedLater).layout).toBe(indexedLater)

  save(1, 'text', 'added')
  save(2, 'other')
  const added = { property: 'added', structField: undefined }
  expect(fields.read({ generation: 2, typeId: 1 }, plain).numberOf(added)).toBeDefined()
  expect(fields.read({ generation: 2, typeId: 2 }, plain).numberOf(added)).toBeUndefined()
})
