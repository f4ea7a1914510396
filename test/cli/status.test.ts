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
