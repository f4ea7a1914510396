import { expect, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { hashText } from './hash-text.ts'

it('hashes texts of any length as the database does', async () => {
  await using place = await createTestStore('none')
  const texts = Array.from({ length: 60 }, (_, length) => 'P00ü9€xyz😀'.repeat(9).slice(0, length))
  const wellFormed = texts.map((text) => text.toWellFormed())
  const list = wellFormed.map((text) => `('${text}')`).join(', ')
  const sql = `SELECT hashtext(text COLLATE "C") AS hash FROM (VALUES ${list}) AS of (text)`
  const rows = await runSql(place.name, sql)
  expect(wellFormed.map(hashText)).toEqual(rows.map(({ hash }) => hash))
})
