import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { objectReader } from '../../../ontology/values/read-object.ts'
import { failChange, findRunningChanges } from '../../core/tables/definition-changes.ts'
import { migrate } from '../catalogue/migrate.ts'
import { runIn } from '../file/sqlite-session.ts'
import { WriterDatabase } from '../file/writer-database.ts'
import { openSqliteStore } from '../open.ts'

it('fails no change but the one that has failed', () => {
  using db = new WriterDatabase(':memory:')
  migrate(db)
  db.exec(`INSERT INTO oqs_ontology (rid, api_name, definition) VALUES ('o', 'o', '{}');
    INSERT INTO oqs_definition_change (ontology_rid, id, state, change, started_at_ms)
      VALUES ('o', 'next', 'running', '{}', 0)`)
  const fail = (id: string) =>
    runIn(db, (session) =>
      failChange(session, { ontologyRid: 'o', id }, { reasons: ['unfit'], unfit: [] }),
    )
  const findRunning = () => runIn(db, findRunningChanges).map(({ id }) => id)
  fail('earlier')
  expect(findRunning()).toEqual(['next'])
  fail('next')
  expect(findRunning()).toEqual([])
})

function definitionOf(apiName: string, type: 'integer' | 'string'): OntologyDefinition {
  const properties = { k: { type: 'string' }, n: { type } } as const
  return { apiName, objectTypes: [{ apiName: 'thing', primaryKey: 'k', properties }] }
}

it('goes on with other changes if the step of one always throws', async () => {
  await using folder = await tempFolder()
  const path = join(folder.path, 'oqs.db')
  await using store = await openSqliteStore(path, { rewrittenAtOnceMax: 0 })
  const apply = async (apiName: string, type: 'integer' | 'string', requestedAtMs: number) => {
    const catalogue = await store.readCatalogue()
    const definition = definitionOf(apiName, type)
    const change = planChange(apiName, definition, catalogue, randomUUID, { requestedAtMs })
    await store.saveOntology(change)
    return change.ontology
  }
  for (const apiName of ['broken', 'sound']) {
    const [objectType] = (await apply(apiName, 'integer', 0)).objectTypes.values()
    if (objectType === undefined) throw new Error('no type')
    const { generation: basedOn } = await store.readCatalogue()
    const put = objectReader(objectType)({ k: 'a', n: 1 })
    await store.commit({ objectType, basedOn, changes: [{ put }] })
  }
  const broken = await apply('broken', 'string', 1)
  const sound = await apply('sound', 'string', 2)
  const db = new DatabaseSync(path)
  db.prepare(`UPDATE oqs_definition_change SET change = 'not JSON' WHERE ontology_rid = ?`).run(
    broken.rid,
  )
  db.close()
  const step = async () => (await store.rewriteNext())?.phase
  while ((await step()) !== 'published');
  expect(await store.definitionChanges.find(sound.rid)).toMatchObject({ state: 'published' })
  await expect(step()).rejects.toThrow('JSON')
})
