import { tableFromIPC } from '@uwdata/flechette'
import { parquetMetadata } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readParquet } from '../../src/formats/parquet/parquet.ts'
import type { Row } from '../../src/formats/row.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'shop',
  families: ['shop'],
  objectTypes: [
    {
      apiName: 'order',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        price: { type: 'decimal' },
        weight: { type: 'decimal' },
        huge: { type: 'decimal' },
        tooLong: { type: 'decimal' },
        none: { type: 'decimal' },
        rates: { type: 'array', items: { type: 'decimal' } },
        line: { type: 'struct', fields: { amount: { type: 'decimal' }, name: { type: 'string' } } },
      },
    },
  ],
}

const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}` }
const COUNT = 3000
const LONG = '1234567890123456789012345678.0000000001'

/** The scale of most prices is 2; one at the end has 4, which only the whole type shows. */
const ORDERS = Array.from({ length: COUNT }, (_, id) => ({
  id,
  ...(id % 7 !== 0 && { price: id === COUNT - 1 ? '-0.1234' : `${id}.${10 + (id % 90)}` }),
  weight: id % 2 === 0 ? '999999999999.5' : '-0.25',
  ...(id === 5 && { huge: LONG, tooLong: '1'.repeat(39) }),
  rates: id % 3 === 0 ? [] : ['0.5', '-12'],
  line: { amount: `${id}`, name: 'x' },
}))

const scaled = (text: string, scale: number) => {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}
const unitsOf = (name: 'price' | 'weight', scale: number) =>
  ORDERS.map((order) => {
    const text = order[name]
    return text === undefined ? null : scaled(text, scale)
  })

describe('decimals in an export', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(DEFINITION)
    await service.put('shop', 'order', ORDERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const path = '/api/admin/v1/ontologies/shop/objects/order/export'
  const read = async (parameters: string) => {
    const response = await fetch(`${service.url}${path}?${parameters}`, { headers: HEADERS })
    expect(response.status).toBe(200)
    return response.arrayBuffer()
  }

  it('are not measured for HEAD', async () => {
    const reading = vi.spyOn(service.store, 'readPage')
    for (const format of ['parquet', 'arrow']) {
      reading.mockClear()
      const url = `${service.url}${path}?format=${format}`
      const { status, headers } = await fetch(url, { method: 'HEAD', headers: HEADERS })
      expect([status, Number(headers.get('oqs-version')) > 0]).toEqual([200, true])
      expect(reading).toHaveBeenCalledTimes(1)
    }
    reading.mockRestore()
  })

  it('are numbers of Parquet with the precision and scale of all of them', async () => {
    const bytes = await read('format=parquet')
    const { schema, key_value_metadata: metadata } = parquetMetadata(bytes)
    const types = schema.flatMap(({ name, type, converted_type, precision, scale }) => {
      return converted_type === 'DECIMAL' ? [[name, type, precision, scale]] : []
    })
    expect(types).toEqual([
      ['price', 'INT32', 9, 4],
      ['weight', 'INT64', 18, 2],
      ['huge', 'FIXED_LEN_BYTE_ARRAY', 38, 10],
      ['none', 'INT32', 9, 0],
      ['element', 'INT32', 9, 1],
      ['amount', 'INT32', 9, 0],
    ])
    const plain = schema.find(({ name }) => name === 'tooLong')
    expect([plain?.type, plain?.converted_type]).toEqual(['BYTE_ARRAY', 'UTF8'])
    const notes = metadata?.find(({ key }) => key === 'oqs.notes')?.value ?? '{}'
    expect(JSON.parse(notes)).toEqual({
      tooLong: 'text, because a decimal has more than 38 digits',
    })
    const rows: Row[] = []
    for await (const batch of (await readParquet(bytes)).rows) rows.push(...(batch as Row[]))
    const prices = rows.map(({ cells }) => cells['price'] ?? null)
    expect(prices.map((price) => price && scaled(String(price), 4))).toEqual(unitsOf('price', 4))
    expect([prices.at(1), prices.at(-1)]).toEqual(['1.1100', '-0.1234'])
    expect(rows[5]?.cells).toMatchObject({
      huge: LONG,
      tooLong: '1'.repeat(39),
      rates: ['0.5', '-12.0'],
      line: { amount: '5', name: 'x' },
    })
  })

  it('are numbers of Arrow', async () => {
    const options = { useBigInt: true, useDecimalInt: true }
    const table = tableFromIPC(new Uint8Array(await read('format=arrow')), options)
    const types = table.schema.fields.map(({ name, type }) => {
      const { precision, scale, bitWidth } = type as unknown as Record<string, number>
      return [name, precision, scale, bitWidth]
    })
    expect(types.slice(1, 6)).toEqual([
      ['price', 9, 4, 128],
      ['weight', 18, 2, 128],
      ['huge', 38, 10, 128],
      ['tooLong', undefined, undefined, undefined],
      ['none', 9, 0, 128],
    ])
    const rows = table.toArray()
    expect(rows.map(({ price }) => price)).toEqual(unitsOf('price', 4))
    expect(rows.map(({ weight }) => weight)).toEqual(unitsOf('weight', 2))
    expect(rows[5]).toMatchObject({ huge: scaled(LONG, 10), line: { amount: 5n, name: 'x' } })
    expect([...(rows[5]?.['rates'] ?? [])]).toEqual([5n, -120n])
  })

  it('have the digits of the objects that match', async () => {
    const where = encodeURIComponent('{"type":"lt","field":"properties.id","value":3}')
    const table = tableFromIPC(
      new Uint8Array(await read(`format=arrow&select=price&where=${where}`)),
      { useDecimalInt: true },
    )
    expect(table.toArray()).toEqual([
      { id: 0, price: null },
      { id: 1, price: 111n },
      { id: 2, price: 212n },
    ])
  })

  it('are stated in a first line of NDJSON, for programs that write files', async () => {
    const { text } = await service.send(`${path}?select=price,tooLong&decimalDigits=true`)
    const [first, second] = text.split('\n')
    expect(JSON.parse(first ?? '')).toEqual({ $decimals: { price: { precision: 9, scale: 4 } } })
    expect(JSON.parse(second ?? '')).toEqual({ id: 0 })
    const { status, body } = await service.send(`${path}?format=csv&decimalDigits=true`)
    expect([status, body.parameters]).toMatchObject([400, { parameter: 'decimalDigits' }])
  })
})
