import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const OBJECTS = '/api/admin/v1/ontologies/numbers/objects/number'
const AUDIT = '/api/admin/v1/audit?operation=putObject'

describe('the audit log of writes', () => {
  it('rejects a write that it cannot record, and keeps records from being changed', async () => {
    await using store = await createTestStore()
    const settings = { OQS_AUDIT: 'writes' }
    await using service = await startService({ store: store.name, settings })
    // Another node of the same store.
    await using other = await startService({ store: store.name, settings })
    other.clock.now = service.clock.now
    await service.apply(NUMBERS)
    expect((await service.send(`${OBJECTS}/1`, { method: 'PUT', json: { n: 1 } })).status).toBe(201)
    expect((await other.send(`${OBJECTS}/2`, { method: 'PUT', json: { n: 2 } })).status).toBe(201)
    await service.send('/api/v1/ontologies/numbers/objects/number')
    const { body } = await other.send('/api/admin/v1/audit')
    expect(body.data).toMatchObject([
      { operation: 'putObject', keys: ['2'] },
      { operation: 'putObject', keys: ['1'] },
      { operation: 'applyOntology' },
    ])

    using db = new DatabaseSync(store.name.replace(/^sqlite:/, ''))
    expect(() => db.exec(`UPDATE oqs_audit_record SET record = '{}'`)).toThrow('cannot be changed')
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON oqs_audit_record
      BEGIN SELECT RAISE(ABORT, 'the log is full'); END`)
    const writes = [
      { path: `${OBJECTS}/3`, method: 'PUT', json: { n: 3 } },
      { path: `${OBJECTS}/1`, method: 'DELETE' },
      { path: '/api/admin/v1/tokens', method: 'POST', json: { name: 'unrecorded' } },
    ]
    for (const { path, ...write } of writes) {
      expect((await service.send(path, write)).status).toBeGreaterThanOrEqual(500)
    }
    db.exec('DROP TRIGGER full')
    const listing = await service.send('/api/v1/ontologies/numbers/objects/number')
    expect(listing.body.data.map(({ properties }: { properties: object }) => properties)).toEqual([
      { n: 1 },
      { n: 2 },
    ])
    expect((await service.send(AUDIT)).body.data).toMatchObject([
      { outcome: 'failure', errorName: 'Default:Internal' },
      { keys: ['2'] },
      { keys: ['1'] },
    ])
  })
})
