import { expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { runOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, startService } from '../support/service.ts'

it('shows the service, its store, and its types with their columns', async () => {
  await using service = await startService()
  expect((await service.apply(NUMBERS)).status).toBe(200)
  await service.put('numbers', 'number', numbers(3))
  const args = ['status', '--url', service.url, '--token', ADMIN_TOKEN]
  const json = await runOqs([...args, '--json'])
  expect(json.stderr).toBe('')
  expect(JSON.parse(json.stdout)).toMatchObject({
    store: { kind: expect.stringMatching(/^(sqlite|postgresql)$/), reachable: true },
    objectTypes: [{ ontology: 'numbers', objectType: 'number', count: 3 }],
    columns: { usedBytes: 0, objectTypes: [] },
  })
  const { code, stdout, stderr } = await runOqs([...args, '--table'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^service +\S+, up .*\nmemory .*\nstore .*\ncolumns +0 .* of .*\n\n/)
  expect(stdout).toMatch(/\nontology +objectType +objects .*\nnumbers +number +3\b/)
})

it('shows what syncs report, and why tables have stopped', async () => {
  await using service = await startService()
  await service.apply(NUMBERS)
  const json = {
    state: 'waiting',
    once: false,
    problem: 'the source is gone',
    tables: 3,
    stoppedTables: [{ table: 'public.prices', reason: 'amount has\u001b[31m another type' }],
    lagBytes: 2_000_000,
    lagSeconds: 75,
    retainedBytes: 5_000_000,
  }
  const path = '/api/admin/v1/ontologies/numbers/transactions/slot.7/report'
  expect((await service.send(path, { method: 'PUT', json })).status).toBe(200)
  service.clock.now = Date.now()
  const { stdout } = await runOqs([
    ...['status', '--url', service.url, '--token', ADMIN_TOKEN, '--table'],
  ])
  const [header, row, ...problems] = stdout.split('\n\n').at(-1)?.trimEnd().split('\n') ?? []
  expect(header).toMatch(/^ontology +source +state +behind +lag +retained +tables +stopped +/)
  expect(row).toMatch(/^numbers +slot\.7 +waiting +1:15 +2.0 MB +5.0 MB +3 +1 +[\d:]+ ago/)
  expect(problems).toEqual([
    'slot.7: the source is gone',
    'slot.7: public.prices has stopped: amount has�[31m another type',
  ])
})
