import { readFileSync } from 'node:fs'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { describe, expect, it } from 'vitest'
import { allRows } from '../../../test/support/byte-chunks.ts'
import { LOGICAL, type ParquetTestColumn, parquetFile } from '../../../test/support/parquet-file.ts'
import type { Row } from '../row.ts'
import { readParquet } from './parquet.ts'

function inMemory(file: Uint8Array) {
  const bytes = new Uint8Array(file).buffer
  return {
    byteLength: bytes.byteLength,
    slice: (start: number, end?: number) => bytes.slice(start, end),
  }
}

async function read(file: Uint8Array): Promise<unknown[]> {
  const rows = await allRows(await readParquet(inMemory(file)))
  return rows.map((row) => ('cells' in row ? row.cells : row.reason))
}

async function valuesOf(column: Omit<ParquetTestColumn, 'name'>): Promise<unknown[]> {
  const rows = await read(parquetFile([{ ...column, name: 'x' }]))
  return rows.map((cells) => (cells as { x?: unknown }).x)
}

describe('a Parquet file', () => {
  it('has rows with numbers and columns with names', async () => {
    const file = parquetFile([
      { name: 'id', type: 'INT32', values: [1, 2, 3] },
      { name: '__proto__', type: 'BYTE_ARRAY', convertedType: 0, values: ['a', null, ''] },
    ])
    const { kind, rowCount, rows } = await readParquet(inMemory(file))
    expect([kind, rowCount]).toEqual(['typed', 3])
    const all = await allRows({ kind, rows })
    expect(all.map(({ line }) => line)).toEqual([1, 2, 3])
    expect(all.map((row) => ('cells' in row ? Object.entries(row.cells) : row))).toEqual([
      [
        ['id', 1],
        ['__proto__', 'a'],
      ],
      [
        ['id', 2],
        ['__proto__', undefined],
      ],
      [
        ['id', 3],
        ['__proto__', ''],
      ],
    ])
  })

  it('has an empty list where a repeated field has no value', async () => {
    const repeated = {
      type: 'INT64',
      repetition: 2,
      values: [1n, 2n, 3n],
      levels: { definition: [1, 1, 0, 1], repetition: [0, 1, 0, 0] },
    } as const
    expect(await valuesOf(repeated)).toEqual([[1n, 2n], [], [3n]])
    const groups = [{ name: 'x', repetition: 1 }] as const
    const inStruct = {
      ...repeated,
      name: 'list',
      groups,
      levels: { definition: [2, 2, 1, 0, 2], repetition: [0, 1, 0, 0, 0] },
    }
    expect(await read(parquetFile([inStruct]))).toEqual([
      { x: { list: [1n, 2n] } },
      { x: { list: [] } },
      {},
      { x: { list: [3n] } },
    ])
  })

  it.each([
    ['Snappy', 1],
    ['gzip', 2],
    ['Brotli', 4],
    ['zstd', 6],
    ['LZ4', 7],
  ])('can have pages without values in %s, which take no bytes', async (_, codec) => {
    const values = [null, null]
    const page = { type: 'INT64', values, secondKind: true, codec } as const
    expect(await valuesOf(page)).toEqual([undefined, undefined])
  })

  it.each([
    ['booleans', { type: 'BOOLEAN', values: [true, null, false] }, [true, undefined, false]],
    ['integers', { type: 'INT32', values: [-1, 2 ** 31 - 1] }, [-1, 2 ** 31 - 1]],
    ['long integers', { type: 'INT64', values: [-(2n ** 63n), 5n] }, [-(2n ** 63n), 5n]],
    ['unsigned', { type: 'INT64', convertedType: 14, values: [-1n] }, [2n ** 64n - 1n]],
    ['floats', { type: 'FLOAT', values: [0.5] }, [0.5]],
    ['doubles', { type: 'DOUBLE', values: [0.1, Number.NaN] }, [0.1, Number.NaN]],
    [
      'text',
      { type: 'BYTE_ARRAY', logicalType: LOGICAL.string, values: ['é', '\ufeffa'] },
      ['é', '\ufeffa'],
    ],
    ['choices', { type: 'BYTE_ARRAY', logicalType: LOGICAL.enumeration, values: ['A'] }, ['A']],
    [
      'JSON',
      { type: 'BYTE_ARRAY', logicalType: LOGICAL.json, values: ['{"a":[1]}'] },
      [{ a: [1] }],
    ],
    [
      'dates',
      { type: 'INT32', logicalType: LOGICAL.date, values: [0, -1, 19782] },
      ['1970-01-01', '1969-12-31', '2024-02-29'],
    ],
    [
      'old dates',
      { type: 'INT32', convertedType: 6, values: [2 ** 31 - 1] },
      ['2147483647 days since 1970'],
    ],
    [
      'times',
      { type: 'INT32', logicalType: LOGICAL.time(1), values: [45_296_789] },
      ['12:34:56.789'],
    ],
    [
      'fine times',
      { type: 'INT64', logicalType: LOGICAL.time(2), values: [45_296_000_001n] },
      ['12:34:56.000001'],
    ],
    [
      'milliseconds',
      { type: 'INT64', logicalType: LOGICAL.timestamp(1), values: [1500n, -1n] },
      ['1970-01-01T00:00:01.500Z', '1969-12-31T23:59:59.999Z'],
    ],
    [
      'microseconds',
      { type: 'INT64', logicalType: LOGICAL.timestamp(2), values: [1n, 10n ** 15n] },
      ['1970-01-01T00:00:00.000001Z', '2001-09-09T01:46:40Z'],
    ],
    [
      'nanoseconds',
      { type: 'INT64', logicalType: LOGICAL.timestamp(3), values: [1n, 2000n] },
      ['1970-01-01T00:00:00.000000001Z', '1970-01-01T00:00:00.000002Z'],
    ],
    [
      'no time',
      { type: 'INT64', convertedType: 10, values: [2n ** 63n - 1n] },
      ['9223372036854775807/1000000 seconds since 1970'],
    ],
    [
      'decimals',
      { type: 'INT64', convertedType: 5, scale: 2, values: [-1250n, 5n, 10n ** 17n + 1n] },
      ['-12.50', '0.05', '1000000000000000.01'],
    ],
    [
      'long decimals',
      {
        type: 'FIXED_LEN_BYTE_ARRAY',
        typeLength: 2,
        logicalType: LOGICAL.decimal(4, 0),
        values: [new Uint8Array([0xff, 0xfe])],
      },
      ['-2'],
    ],
    [
      'UUIDs',
      {
        type: 'FIXED_LEN_BYTE_ARRAY',
        typeLength: 16,
        logicalType: LOGICAL.uuid,
        values: [new Uint8Array(16)],
      },
      ['00000000-0000-0000-0000-000000000000'],
    ],
  ] as const)('contains %s', async (_, column, expected) => {
    expect(await valuesOf(column)).toEqual(expected)
    if (column.type !== 'BOOLEAN') {
      expect(await valuesOf({ ...column, dictionary: true })).toEqual(expected)
    }
  })

  it('contains lists and structs', async () => {
    const decimal = { name: 'element', type: 'INT32', convertedType: 5, scale: 1 } as const
    const list = parquetFile([
      {
        ...decimal,
        groups: [
          { name: 'x', repetition: 1, convertedType: 3 },
          { name: 'list', repetition: 2 },
        ],
        values: [10, 15, 20],
        levels: { definition: [3, 2, 3, 1, 0, 3], repetition: [0, 1, 1, 0, 0, 0] },
      },
    ])
    expect(await read(list)).toEqual([{ x: ['1.0', null, '1.5'] }, { x: [] }, {}, { x: ['2.0'] }])
    const inStruct = parquetFile([
      {
        ...decimal,
        groups: [{ name: 'x', repetition: 1 }],
        values: [10],
        levels: { definition: [2, 1, 0], repetition: [0, 0, 0] },
      },
    ])
    expect(await read(inStruct)).toEqual([{ x: { element: '1.0' } }, { x: {} }, {}])
  })

  it('is read in batches of some hundred rows, in pieces of any size', async () => {
    const values = Array.from({ length: 1200 }, (_, index) =>
      index % 7 === 0 ? null : index % 100,
    )
    const plain = { type: 'INT32', values } as const
    const file = parquetFile([
      { ...plain, name: 'plain' },
      { ...plain, name: 'pages', pageRows: 90 },
      { ...plain, name: 'second', pageRows: 90, secondKind: true },
      { ...plain, name: 'dictionary', dictionary: true },
      { ...plain, name: 'dictionaryPages', dictionary: true, pageRows: 90 },
      { ...plain, name: 'dictionarySecond', dictionary: true, pageRows: 110, secondKind: true },
    ])
    for (const pieceValues of [1, 4000, 100_000]) {
      const { rows } = await readParquet(inMemory(file), { pieceValues })
      let line = 0
      for await (const some of rows) {
        expect(some.length).toBeLessThanOrEqual(500)
        for (const row of some) {
          const value = values[line] ?? undefined
          line += 1
          const columns = ['plain', 'pages', 'second', 'dictionary', 'dictionaryPages']
          const names = value === undefined ? [] : [...columns, 'dictionarySecond']
          expect(row).toEqual({ line, cells: Object.fromEntries(names.map((n) => [n, value])) })
        }
      }
      expect(line).toBe(values.length)
    }
  })

  it('of another writer is read like hyparquet reads it', async () => {
    const file = inMemory(readFileSync('node_modules/vega-datasets/data/flights-3m.parquet'))
    const { rows, rowCount } = await readParquet(file)
    expect(rowCount).toBe(3_000_000)
    const first = (await rows[Symbol.asyncIterator]().next()).value as readonly Row[]
    expect(first[0]?.cells).toEqual({
      date: '2001-01-01T00:01:00Z',
      delay: 33n,
      distance: 2176n,
      origin: 'LAS',
      destination: 'PHL',
    })
    const expected = await parquetReadObjects({
      file,
      compressors,
      rowEnd: first.length,
      columns: ['delay', 'distance', 'origin', 'destination'],
    })
    expect(first.map(({ cells: { date, ...others } }) => others)).toEqual(expected)
  })
})

describe('a Parquet file that cannot be read', () => {
  const bytes = { type: 'BYTE_ARRAY', values: ['x'] } as const

  it.each([
    [{ ...bytes }, 'column x has the Parquet type BYTE_ARRAY, which no property type matches'],
    [{ ...bytes, logicalType: LOGICAL.bson }, 'column x has the Parquet type BYTE_ARRAY BSON'],
    [
      {
        type: 'FIXED_LEN_BYTE_ARRAY',
        typeLength: 12,
        convertedType: 21,
        values: [new Uint8Array(12)],
      },
      'column x has the Parquet type FIXED_LEN_BYTE_ARRAY INTERVAL',
    ],
    [
      { ...bytes, convertedType: 0, values: [new Uint8Array([0xe9])] as never },
      'column x, rows 1 to 1, cannot be read: it contains text that is not UTF-8',
    ],
    [
      { ...bytes, logicalType: LOGICAL.json },
      'column x, rows 1 to 1, cannot be read: it contains text that is not JSON',
    ],
  ] as const)('because of its columns: %#', async (column, message) => {
    await expect(read(parquetFile([{ ...column, name: 'x' }]))).rejects.toThrow(message)
  })

  it('because of an endless run', async () => {
    const file = parquetFile([{ name: 'x', type: 'BOOLEAN', values: [true, null, true, false] }])
    // The levels: four runs of one value each, after their total length.
    const at = file.indexOf(Buffer.from([8, 0, 0, 0, 2, 1, 2, 0])) + 4
    Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 1]).copy(file, at)
    await expect(read(file)).rejects.toThrow(
      'column x, rows 1 to 4, cannot be read: a run is longer than its page',
    )
  })

  it.each([
    [4, 'a page has too many values'],
    [-1, 'a page header contains -1'],
    [2 ** 30, 'a page header contains 1073741824'],
  ])('because a page claims to hold %i values', async (claimed, message) => {
    for (const dictionary of [false, true]) {
      const file = parquetFile([{ name: 'x', type: 'INT32', values: [1, 2, 3], dictionary }], {
        claimedValues: claimed,
      })
      await expect(read(file)).rejects.toThrow(message)
    }
  })

  it('never hangs, whichever bits are damaged', async () => {
    const values = [1, null, 3, 4, null, 6]
    const column = { type: 'INT32', values } as const
    const file = parquetFile([
      { ...column, name: 'plain', pageRows: 4 },
      { ...column, name: 'second', secondKind: true },
      { ...column, name: 'dictionary', dictionary: true },
    ])
    for (let at = 4; at < file.length - 8; at += 1) {
      for (const damage of [0xff, 0x81]) {
        const damaged = Buffer.from(file)
        damaged[at] = (damaged[at] as number) ^ damage
        await read(damaged).catch((error) => expect(error.name).toBe('UnreadableFile'))
      }
    }
  })

  it('because it is not Parquet, truncated or changed', async () => {
    const file = parquetFile([{ name: 'x', type: 'INT32', values: [1, 2, 3] }])
    for (const other of ['', 'PAR1', 'PAR1PAR1PAR', 'a,b\n1,2\n3,4']) {
      await expect(read(Buffer.from(other))).rejects.toThrow('not a Parquet file, or truncated')
    }
    for (let cut = 1; cut < file.length; cut += 1) {
      await expect(read(file.subarray(0, cut))).rejects.toHaveProperty('name', 'UnreadableFile')
      const inner = Buffer.concat([file.subarray(0, 4), file.subarray(4 + cut)])
      await expect(read(inner)).rejects.toHaveProperty('name', 'UnreadableFile')
    }
    const twice = parquetFile([
      { name: 'x', type: 'INT32', values: [1] },
      { name: 'x', type: 'INT32', values: [1] },
    ])
    await expect(read(twice)).rejects.toThrow('two columns have the name x')
  })
})
