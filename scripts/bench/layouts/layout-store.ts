import { statSync } from 'node:fs'
import { join } from 'node:path'
import { objectReader } from '../../../src/ontology/values/read-object.ts'
import { OPEN } from '../../../src/store/sql/new-table.ts'
import { objectTable } from '../../../src/store/sqlite/catalogue/object-table.ts'
import { inTransaction, openConnection } from '../../../src/store/sqlite/file/connection.ts'
import {
  type CrossingPut,
  isPut,
  toCrossing,
} from '../../../src/store/sqlite/threads/crossing-change.ts'
import { publishVersion } from '../../../src/store/sqlite/writes/publish-version.ts'
import { rowWriter } from '../../../src/store/sqlite/writes/write-row.ts'
import { defineTypeInFile } from '../define-type.ts'
import { makePart } from '../objects.ts'
import type { LayoutName } from './layout.ts'
import { LAYOUTS, layoutFile } from './layouts.ts'

/** A file of the store with one layout in it, written in this process by the store's own parts. */
export interface LayoutStore extends Disposable {
  readonly name: LayoutName
  /** Writes a batch, in key order, as one commit; gives its version. */
  commit(puts: readonly CrossingPut[]): number
  /** Brings everything into the file; gives its bytes. */
  settle(): number
}

export async function openLayoutStore(folder: string, name: LayoutName): Promise<LayoutStore> {
  const path = join(folder, layoutFile(name))
  const layout = LAYOUTS[name]
  const properties = [...(await defineTypeInFile(path)).properties.keys()]
  const db = openConnection(path)
  layout.create(db)
  const type = db.prepare('SELECT id, table_id FROM object_type').get() ?? {}
  const [typeId, table] = [Number(type['id']), Number(type['table_id'])]
  const rows = objectTable(table)
  let version = 0

  const writeRows = (puts: readonly CrossingPut[]) => {
    const close = db.prepare(`UPDATE ${rows} SET valid_to = ? WHERE pk = ? AND valid_to = ${OPEN}`)
    const writer = rowWriter(db, { typeId, table, properties })
    for (const put of puts) {
      close.run(version, put[0])
      writer.add(layout.rowsKeepBody ? put : withoutBody(put), version)
    }
    writer.finish()
  }
  return {
    name,
    commit(puts) {
      version += 1
      inTransaction(db, 'write', () => {
        writeRows(puts)
        layout.write(db, puts, version)
        publishVersion(db, { typeId, version, put: puts.length, deleted: 0 })
      })
      return version
    },
    settle() {
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return statSync(path).size
    },
    [Symbol.dispose]: () => db.close(),
  }
}

function withoutBody(put: CrossingPut): CrossingPut {
  const [pk, objectId, key, title, , ...rest] = put
  return [pk, objectId, key, title, '', ...rest]
}

/** Objects as they cross to a writer, made from their numbers. */
export async function partMaker(
  folder: string,
): Promise<(number: number, revision: number) => CrossingPut> {
  const objectType = await defineTypeInFile(join(folder, 'definition.db'))
  const properties = [...objectType.properties.keys()]
  const readObject = objectReader(objectType)
  return (number, revision) => {
    const change = toCrossing({ put: readObject(makePart(number, revision)) }, properties)
    if (!isPut(change)) throw new Error('a put crossed as something else')
    return change
  }
}
