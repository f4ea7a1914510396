import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { openConnection, openWriterConnection } from '../file/connection.ts'
import { createDatabaseFile } from '../file/database-file.ts'
import { StatementCache } from '../file/sqlite-session.ts'
import { migrate } from './migrate.ts'
import { KnownHeads } from './type-head.ts'

it('reads the state of a type again after every commit of another connection', () => {
  using folder = tempFolder()
  const path = createDatabaseFile(join(folder.path, 'oqs.db'))
  using writer = openWriterConnection(path)
  migrate(writer)
  writer.exec(`
    INSERT INTO oqs_ontology (rid, api_name, definition) VALUES ('o', 'o', '{}');
    INSERT INTO oqs_object_table (id, object_type_id, state, first_version, loaded_as)
      VALUES (1, 1, 'published', 0, 0);
    INSERT INTO oqs_object_type (id, rid, ontology_rid, definition, generation, published, table_id)
      VALUES (1, 't', 'o', '{}', 1, 5, 1);
  `)
  using reader = openConnection(path)
  const heads = new KnownHeads(new StatementCache(reader))
  const type = { rid: 't', apiName: 't' } as ObjectType
  const first = heads.read(type)
  expect(first.published).toBe(5)
  expect(heads.read(type)).toBe(first)

  writer.exec('UPDATE oqs_object_type SET published = 6')
  expect(heads.read(type).published).toBe(6)

  // A transaction keeps seeing the state of its start.
  reader.exec('BEGIN')
  expect(heads.read(type).published).toBe(6)
  writer.exec('UPDATE oqs_object_type SET published = 7')
  expect(heads.read(type).published).toBe(6)
  reader.exec('COMMIT')
  expect(heads.read(type).published).toBe(7)

  writer.exec('DELETE FROM oqs_object_type')
  expect(() => heads.read(type)).toThrow('ObjectTypeNotFound')
})
