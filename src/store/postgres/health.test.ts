/** What operators see of a database that is locked in part, or whose disk is full. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../../../test/support/ontologies.ts'
import { openTransaction, runSql } from '../../../test/support/postgres.ts'
import { type Service, startService } from '../../../test/support/service.ts'
import { createTestStore, type TestStore } from '../../../test/support/test-store.ts'

let place: TestStore
let service: Service
beforeEach(async () => {
  place = await createTestStore()
  service = await startService({ store: place.name })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3))
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const status = async () => (await service.send('/api/admin/v1/status')).body
const metrics = async () => (await service.send('/metrics')).text

describe('the health of a store on PostgreSQL', () => {
  it('is read while a table is locked, without the size of its type', async () => {
    const before = await status()
    expect(before.objectTypes[0].storedBytes).toBeGreaterThan(0)
    await using _lock = await openTransaction(
      place.name,
      'LOCK TABLE oqs_object_1 IN ACCESS EXCLUSIVE MODE',
    )
    const locked = await status()
    expect(locked.objectTypes[0]).toMatchObject({ objectType: 'number', count: 3 })
    expect(locked.objectTypes[0]).not.toHaveProperty('storedBytes')
    expect(await metrics()).toMatch(/^oqs_store_up 1$/m)
  })

  it('shows that writes fail on a full disk, until one succeeds', async () => {
    expect(await metrics()).toMatch(/^oqs_store_writable 1$/m)
    await runSql(
      place.name,
      `CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER no_space BEFORE UPDATE ON oqs_object_type EXECUTE FUNCTION no_space();
       CREATE TRIGGER no_space BEFORE INSERT ON oqs_document EXECUTE FUNCTION no_space()`,
    )
    const refused = await service.write('numbers', 'number', [{ put: { n: 9 } }])
    const writesFail = refused.body.parameters.reason
    expect([refused.status, writesFail]).toEqual([503, expect.stringMatching(/disk.*is full/)])
    expect((await service.send('/readyz')).body).toEqual({ status: 'ok', writesFail })
    expect((await status()).store).toMatchObject({ reachable: true, writesFail })
    const text = await metrics()
    expect(text).toMatch(/^oqs_store_writable 0$/m)
    expect(text).toMatch(/^oqs_failed_writes_total 1$/m)
    expect(text).toMatch(/^oqs_store_up 1$/m)
    await runSql(
      place.name,
      'DROP TRIGGER no_space ON oqs_object_type; DROP TRIGGER no_space ON oqs_document',
    )
    while ((await status()).store.writesFail !== undefined) await sleep(10)
    expect((await service.send('/readyz')).body).toEqual({ status: 'ok' })
  })

  it('shows the connections of each pool, and the queues of the store', async () => {
    const text = await metrics()
    expect(text).toMatch(/^oqs_database_connections\{pool="write",state="limit"\} 5$/m)
    expect(text).toMatch(/^oqs_database_connections\{pool="quick",state="waiting"\} 0$/m)
    expect(text).toMatch(/^oqs_queue_tasks\{queue="slow queries",state="running"\} 0$/m)
  })
})
