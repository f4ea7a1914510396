/** Types whose table gets no indexes of properties, which only loads of many objects decide otherwise. */
import { DatabaseSync } from 'node:sqlite'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { sqlitePath } from '../../src/store/store-name.ts'

/** Records it for a type that has no objects yet. PostgreSQL indexes every property. */
export function leaveUnindexed(
  storeName: string,
  { rid, properties, primaryKey }: ObjectType,
): void {
  const path = sqlitePath(storeName)
  if (path === undefined) return
  const others = [...properties.values()].filter(({ apiName }) => apiName !== primaryKey.apiName)
  const reasons = others.map(({ apiName, type }, index) => {
    const isText = type.kind === 'scalar' && type.type === 'string'
    return [apiName, isText && index % 2 === 0 ? 'freeText' : 'fewValues']
  })
  using db = new DatabaseSync(path)
  db.prepare(
    `UPDATE oqs_object_table SET unindexed_fields = ?
     WHERE id = (SELECT table_id FROM oqs_object_type WHERE rid = ?)`,
  ).run(JSON.stringify(Object.fromEntries(reasons)), rid)
}
