import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { failChange, findRunningChanges } from './definition-change.ts'
import { migrate } from './migrate.ts'

it('fails no change but the one that has failed', () => {
  using db = new DatabaseSync(':memory:')
  migrate(db)
  db.exec(`INSERT INTO ontology (rid, api_name, definition) VALUES ('o', 'o', '{}');
    INSERT INTO definition_change (ontology_rid, id, state, change, started_at_ms)
      VALUES ('o', 'next', 'running', '{}', 0)`)
  const failed = { ontologyRid: 'o', reasons: ['unfit'], unfit: [] }
  failChange(db, { ...failed, id: 'earlier' })
  expect(findRunningChanges(db).map(({ id }) => id)).toEqual(['next'])
  failChange(db, { ...failed, id: 'next' })
  expect(findRunningChanges(db)).toEqual([])
})
