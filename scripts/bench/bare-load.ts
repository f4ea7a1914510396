import { objectReader } from '../../src/ontology/values/read-object.ts'
import { columnOf } from '../../src/store/sql/field-numbers.ts'
import { readFieldNumbers } from '../../src/store/sqlite/catalogue/field-numbers.ts'
import { objectTable } from '../../src/store/sqlite/catalogue/object-table.ts'
import { openConnection } from '../../src/store/sqlite/file/connection.ts'
import { toCrossing } from '../../src/store/sqlite/threads/crossing-change.ts'
import { indexedTerms } from '../../src/store/sqlite/writes/text-index.ts'
import { defineTypeInFile } from './define-type.ts'
import { makePart } from './objects.ts'

/**
 * The least that writing the same rows with the same indexes costs: prepared statements in one
 * process, rows that were made before, nothing read, checked or sent. Gives seconds.
 */
export async function bareLoad(path: string, objects: number, batch: number): Promise<number> {
  const objectType = await defineTypeInFile(path)
  const readObject = objectReader(objectType)
  const properties = [...objectType.properties.keys()]
  const db = openConnection(path)
  const ids = db.prepare('SELECT id, table_id FROM object_type').get() as Record<string, number>
  const numbers = readFieldNumbers(db, Number(ids['id']))
  const columns = properties.map((property) =>
    columnOf(numbers.of({ property, structField: undefined })),
  )
  const names = ['id', 'pk', 'valid_from', 'object_id', 'key', 'title', 'body', ...columns]
  const addRow = db.prepare(
    `INSERT INTO ${objectTable(Number(ids['table_id']))} (${names.join(', ')})
     VALUES (${names.map(() => '?').join(', ')})`,
  )
  const addTerms = db.prepare('INSERT INTO term (rowid, terms) VALUES (?, ?)')

  let seconds = 0
  for (let start = 0; start < objects; start += batch) {
    const rows = Array.from({ length: Math.min(batch, objects - start) }, (_, index) => {
      const change = { put: readObject(makePart(start + index, 0)) }
      const [pk = '', objectId = '', key = '', title = null, body = '', values = [], , texts = []] =
        toCrossing(change, properties)
      const row = [start + index + 1, pk, 1, objectId, key, title, body, ...values] as const
      return { row, terms: indexedTerms(texts, numbers) }
    })
    const startedAt = performance.now()
    db.exec('BEGIN IMMEDIATE')
    for (const { row, terms } of rows) {
      addRow.run(...row)
      addTerms.run(row[0], terms)
    }
    db.exec('COMMIT')
    seconds += (performance.now() - startedAt) / 1000
  }
  db.close()
  return seconds
}
