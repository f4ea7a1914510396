/** Exports to Parquet and Arrow whose decimals are numbers. */
import { join } from 'node:path'
import { tableFromIPC } from '@uwdata/flechette'
import { expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import { exportTableFile } from '../../src/transfer/export/export-table-file.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, startService } from '../support/service.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startCuttingProxy } from './cutting-proxy.ts'

const PROPERTIES = {
  id: { type: 'integer' },
  price: { type: 'decimal' },
  long: { type: 'decimal' },
  text: { type: 'string' },
}
const COUNT = 2500
const ROWS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  price: `${id - 1000}.${String(id % 100).padStart(2, '0')}`,
  long: id === COUNT - 1 ? '9'.repeat(50) : '1',
  text: 'x'.repeat(id % 50),
}))

async function startShop() {
  const service = await startService()
  const type = { apiName: 'order', primaryKey: 'id', properties: PROPERTIES }
  await service.apply({ apiName: 'shop', objectTypes: [type] } as never)
  await service.put('shop', 'order', ROWS)
  return service
}

it('an export to Parquet says which decimals are text, and is imported again as it was', async () => {
  await using service = await startShop()
  using folder = tempFolder()
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const output = join(folder.path, 'orders.parquet')
  const from = ['--ontology', 'shop', '--type', 'order', '--output', output]
  const exported = await runCommand(['export', ...from], settings)
  expect(exported.stderr).toContain(
    'note: long is text, because a decimal has more than 38 digits\n',
  )
  const into = ['--ontology', 'shop', '--type', 'copy', '--infer', '--key', 'id']
  const imported = await runCommand(['import', output, ...into], settings)
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('2,500')])
  const read = (type: string) =>
    service.send(`/api/admin/v1/ontologies/shop/objects/${type}/export`).then(({ text }) => text)
  expect(await read('copy')).toBe(await read('order'))
})

it('an export to Arrow has the same decimals wherever the connection breaks', async () => {
  await using service = await startShop()
  await using proxy = await startCuttingProxy(service.url)
  const client = new Endpoints({
    baseUrl: proxy.url,
    token: ADMIN_TOKEN,
    retries: { pause: async () => {} },
  })
  const request = { ontology: 'shop', objectType: 'order', format: 'arrow' } as const
  const expected = ROWS.map(({ id, price }) => [id, BigInt(price.replace('.', ''))])
  for (const cut of [10, 400, 420, 600, 20_000, 100_000]) {
    proxy.cutAfter(100_000, cut, 1500)
    const pieces: Uint8Array[] = []
    const notes: string[] = []
    const add = async (piece: Uint8Array) => void pieces.push(piece.slice())
    const options = { onProgress: () => {}, onNote: (note: string) => void notes.push(note) }
    const { objects } = await exportTableFile(client, request, add, options)
    const table = tableFromIPC(Buffer.concat(pieces), { useDecimalInt: true })
    expect([cut, objects, notes]).toEqual([cut, COUNT, [expect.stringMatching(/^long is text/)]])
    expect(table.toArray().map(({ id, price }) => [id, price])).toEqual(expected)
  }
})
