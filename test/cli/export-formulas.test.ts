/** Exports to CSV whose texts a spreadsheet must not run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, startService } from '../support/service.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('an export escapes texts that a spreadsheet would run, and no numbers', async () => {
  await using service = await startService()
  using folder = tempFolder()
  const properties = { id: { type: 'string' }, note: { type: 'string' }, sum: { type: 'decimal' } }
  await service.apply({
    apiName: 'sheet',
    objectTypes: [{ apiName: 'row', primaryKey: 'id', properties }],
  } as never)
  await service.write('sheet', 'row', [
    { put: { id: '+a', note: '=HYPERLINK("x")', sum: '-1.50' } },
    { put: { id: 'b', note: 'plain' } },
  ])
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const output = join(folder.path, 'rows.csv')
  const from = ['export', '--ontology', 'sheet', '--type', 'row', '--output', output]
  expect((await runCommand([...from, '--escape-formulas'], settings)).code).toBe(0)
  const escaped = `id,note,sum\n'+a,"'=HYPERLINK(""x"")",-1.50\nb,plain,\n`
  expect(readFileSync(output, 'utf8')).toBe(escaped)

  const path = '/api/admin/v1/ontologies/sheet/objects/row/export'
  expect((await service.send(`${path}?format=csv&escapeFormulas=true`)).text).toBe(escaped)
  const { status, body } = await service.send(`${path}?escapeFormulas=true`)
  expect([status, body.parameters]).toMatchObject([400, { parameter: 'escapeFormulas' }])
  const other = await runCommand([...from, '--format', 'ndjson', '--escape-formulas'], settings)
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('--escape-formulas')])
})
