import type { DatabaseSync } from 'node:sqlite'
import {
  CatalogueReader,
  type CatalogueSource,
  readDefinitionText,
  readEntries,
  readGeneration,
} from '../../core/definitions/catalogue-reader.ts'
import { settled } from '../../core/session/session.ts'
import type { StoreOptions } from '../../object-store.ts'
import { inTransaction } from '../file/connection.ts'
import { runIn, type SqliteSession } from '../file/sqlite-session.ts'

/** Returns the reader of the catalogue, on a connection that only reads. */
export function openCatalogue(
  { db, session }: { readonly db: DatabaseSync; readonly session: SqliteSession },
  definitions: StoreOptions['definitions'],
): CatalogueReader {
  const source: CatalogueSource = {
    readGeneration: () => readGeneration(session),
    readEntries: () =>
      settled(inTransaction(db, 'read', () => runIn({ session }, () => readEntries(session)))),
    *load(entry, parse) {
      const definition = yield* readDefinitionText(session, entry)
      return definition === undefined ? undefined : parse(definition)
    },
  }
  return new CatalogueReader(source, definitions)
}
