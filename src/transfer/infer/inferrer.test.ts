import { describe, expect, it } from 'vitest'
import type { CellKind, DeclaredType, Row } from '../../formats/row.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { ColumnOptions } from '../columns/column-plan.ts'
import { fileTitle, typeNameOf, withType, writeDefinition } from './definition.ts'
import type { InferredType } from './infer-type.ts'
import { inferrer } from './inferrer.ts'

function infer(kind: CellKind, ...cells: Row['cells'][]) {
  const inference = inferrer()
  inference.add(
    cells.map((row, index) => ({ line: index + 2, cells: row })),
    kind,
  )
  return inference.finish('thing')
}

const textsOf = ({ notes }: InferredType) => notes.map(({ text }) => text)
/** Returns the inferred type of a column with these values. */
function typeOf(kind: CellKind, values: readonly unknown[]): unknown {
  const rows = values.map((value, index) => ({ id: String(index), value }))
  return infer(kind, ...rows).definition.properties['value']
}

describe('a column of text', () => {
  it.each<[string, ...string[]]>([
    ['boolean', 'true', 'FALSE'],
    ['boolean', 'yes', 'no'],
    ['string', 'NO', 'NO'],
    ['string', 'true', '1'],
    ['integer', '0', '1', ''],
    ['integer', '-5', '99999999'],
    ['long', '-5', '100000000'],
    ['long', '-9223372036854775808'],
    ['string', '9223372036854775808'],
    ['double', '1e5', 'NaN', '.5'],
    ['double', '0.30000000000000004'],
    ['decimal', '0.1234567890123456789'],
    ['decimal', '9007199254740993', '0.5'],
    ['decimal', '9007199254740993', '1e5', '2.5e-3'],
    ['string', '9007199254740993', '1e300'],
    ['double', '1e300', '0.5'],
    ['string', 'NaN', ''],
    ['string', '007', '8'],
    ['string', '+49 89 123', '12'],
    ['string', '1,234', '1,235'],
    ['double', '1,5', '12'],
    ['double', '1.234,5', '2.000'],
    ['integer', '1,234,567', '1,235'],
    ['double', '1,234.5', '7'],
    ['integer', "1'234", '5'],
    ['string', '1,23,4'],
    ['integer', '5', 'NA', '-'],
    ['string', 'NA', 'null'],
    ['string', 'a', 'NA'],
    ['date', '31.12.2023', '1.2.2024'],
    ['date', '12/31/2023', '01/02/2024'],
    ['date', '31/12/2023', '01/02/2024'],
    ['string', '01/02/2024', '03/04/2024'],
    ['string', '31.02.2024'],
    ['timestamp', '31.12.2023', '1.2.2024 08:30'],
    ['date', 'Jan 1 2000', 'December 31, 1999', 'Sept. 5 2001'],
    ['date', 'Jan-01-2000'],
    ['date', '2000-Jan-01'],
    ['date', '2000 Feb 29'],
    ['string', 'Feb 30 2000'],
    ['timestamp', 'Jan 1 2000', 'Jan 2 2000 08:30 PM'],
    ['date', '2001-02-03', '1999-12-31'],
    ['string', '2001-02-30'],
    ['string', '2001-02-03', '5'],
    ['timestamp', '2001-02-03', '2001-02-03 04:05'],
    ['timestamp', '2001-02-03T04:05:06.123Z'],
    ['geopoint', '48.1,11.5', '{"type":"Point","coordinates":[1,2]}'],
    ['string', '98.1,11.5'],
    ['geoshape', '{"type":"Point","coordinates":[1,2]}', '{"type":"MultiPoint","coordinates":[]}'],
    ['string', '[citation needed]', '[1]'],
  ])('becomes %s: %j %j %j', (type, ...values) => {
    expect(typeOf('text', values)).toMatchObject({ type })
  })

  it('can contain JSON', () => {
    expect(typeOf('text', ['[1, 2]', '[]'])).toEqual({ type: 'array', items: { type: 'integer' } })
    expect(typeOf('text', ['{"a": "x", "b": null}'])).toEqual({
      type: 'struct',
      fields: { a: { type: 'string' }, b: { type: 'string' } },
    })
  })
})

describe('a text that stands for a missing value', () => {
  const nullsOf = (kind: CellKind, ...values: string[]) =>
    infer(
      kind,
      ...values.map((value, index) => ({ id: String(index), value })),
    ).columns.columnTexts?.get('value')?.nulls

  it('is missing in a column of texts', () => {
    expect(nullsOf('text', 'Bern', 'NA', 'N/A', 'Basel', '-')).toEqual(['NA', 'N/A', '-'])
    expect(typeOf('text', ['Bern', 'NA'])).toEqual({ type: 'string' })
  })

  it.each<[string, CellKind, string[]]>([
    ['a code among codes', 'text', ['CH', 'NA', 'US']],
    ['all that the column has', 'text', ['NA', 'NA']],
    ['a choice', 'text', ['Nuts', 'None']],
    ['a text of JSON, which has null', 'json', ['Bern', 'NA']],
  ])('is a value if it is %s', (_why, kind, values) => {
    expect(nullsOf(kind, ...values)).toBeUndefined()
  })

  it('makes a column no key', () => {
    const rows = [{ place: 'Bern' }, { place: 'NA' }]
    expect(infer('text', ...rows).definition.primaryKey).toBe('row')
  })
})

describe('a column of JSON values', () => {
  it.each<[string, unknown[]]>([
    ['boolean', [true, null]],
    ['integer', [1, 2.0]],
    ['long', [1, 2 ** 40]],
    ['double', [1, 2.5]],
    ['double', [2 ** 60]],
    ['string', ['1', '2']],
    ['string', [1, 'a']],
    ['string', [true, 1]],
    ['date', ['2001-02-03']],
    ['timestamp', ['2001-02-03T04:05:06Z', '2001-02-03 04:05']],
    ['geopoint', [{ type: 'Point', coordinates: [1, 2] }]],
    ['geoshape', [{ type: 'MultiPoint', coordinates: [[1, 2]] }]],
  ])('becomes %s: %j', (type, values) => {
    expect(typeOf('json', values)).toMatchObject({ type })
  })

  it.each<[unknown, unknown[]]>([
    [{ type: 'array', items: { type: 'string' } }, [['a'], []]],
    [{ type: 'array', items: { type: 'double' } }, [[1], [2.5]]],
    [
      { type: 'array', items: { type: 'struct', fields: { a: { type: 'integer' } } } },
      [[{ a: 1 }], [{ a: null }]],
    ],
    [
      { type: 'struct', fields: { a: { type: 'integer' }, b: { type: 'date' } } },
      [{ a: 1 }, { b: '2001-02-03' }],
    ],
    [
      {
        type: 'struct',
        fields: {
          a: { type: 'struct', fields: { b: { type: 'integer' } } },
          c: { type: 'array', items: { type: 'struct', fields: { d: { type: 'string' } } } },
        },
      },
      [{ a: { b: 1 }, c: [] }, { c: [{ d: 'x' }] }],
    ],
    [
      { type: 'struct', fields: { a: { type: 'array', items: { type: 'integer' } } } },
      [{ a: [1] }],
    ],
    // Only the field that no type can hold is text.
    [
      { type: 'struct', fields: { a: { type: 'string' }, b: { type: 'integer' } } },
      [{ a: [[1]], b: 1 }],
    ],
  ])('becomes %j', (type, values) => {
    expect(typeOf('json', values)).toEqual(type)
  })

  it.each([
    [[[[1], [2]]]],
    [[[1, null]]],
    [[{ 'no name': 1 }]],
    [[{}]],
    [[[{ a: 1 }, 2]]],
    [[{ a: 1 }, 2]],
  ])('becomes JSON text if no type can hold it: %j', (values) => {
    expect(typeOf('json', values)).toMatchObject({
      type: 'string',
      description: 'JSON text, because no property type can hold these values.',
    })
  })
})

describe('a typed column', () => {
  it.each<[string, unknown[]]>([
    ['long', [5n, 6n]],
    ['long', [2n ** 40n]],
    ['decimal', [2n ** 70n]],
    ['double', [Number.NaN, 0.5]],
    ['decimal', [1.5, 123456789012345678n, 0.25]],
    ['string', [1.5, 123456789012345678n, 1e-300]],
    ['timestamp', ['2001-02-03T04:05:06.000Z']],
  ])('becomes %s', (type, values) => {
    expect(typeOf('typed', values)).toMatchObject({ type })
  })
})

describe('a declared type', () => {
  const rows = [{ line: 1, cells: { id: 1, day: '2024-01-02', list: [1n] } }]
  const declared = new Map<string, DeclaredType>([
    ['id', { type: 'short' }],
    ['day', { type: 'string' }],
    ['list', { type: 'array', items: { type: 'integer' } }],
  ])

  it('takes precedence over the values', () => {
    const inference = inferrer()
    inference.add(rows, 'typed', declared)
    inference.add(rows, 'typed', new Map(declared))
    expect(inference.finish('thing').definition.properties).toMatchObject({
      id: { type: 'short' },
      day: { type: 'string' },
      list: { type: 'array', items: { type: 'integer' } },
    })
  })

  it('is ignored if files disagree, or if a property cannot hold the values', () => {
    const inference = inferrer()
    inference.add(rows, 'typed', declared)
    inference.add([{ line: 1, cells: { id: 70_000, list: [null] } }], 'typed')
    expect(inference.finish('thing').definition.properties).toMatchObject({
      id: { type: 'integer' },
      list: { type: 'string' },
    })
  })
})

describe('options', () => {
  const rows = [
    { line: 2, cells: { code: '7', size: '1,234', on: '01/02/2024', 'a b': 'x' } },
    { line: 3, cells: { code: '7', size: '9', on: '03/04/2024', 'a b': 'y' } },
  ]
  const inferWith = (options: ColumnOptions) => {
    const inference = inferrer(options)
    inference.add(rows, 'text')
    return inference.finish('thing')
  }

  it('choose the key, by column or property, and types', () => {
    expect(inferWith({ key: 'code' }).definition.primaryKey).toBe('code')
    expect(inferWith({ key: 'aB' }).definition.primaryKey).toBe('aB')
    expect(() => inferWith({ key: 'none' })).toThrow('the file has no column "none"')
    const { definition, columns } = inferWith({ as: new Map([['size', { type: 'decimal' }]]) })
    expect(definition.properties['size']).toEqual({ type: 'decimal' })
    expect(columns.columnTexts?.get('size')).toEqual({ numbers: 'grouped' })
  })

  it('say how texts are written', () => {
    const { properties } = inferWith({
      texts: { numbers: 'decimal comma', dateFormats: ['MM/DD/YYYY'], nulls: ['9'] },
    }).definition
    expect(properties).toMatchObject({ size: { type: 'double' }, on: { type: 'date' } })
  })

  it('leave numbers with a point as text in a file with decimal commas', () => {
    const inference = inferrer({ texts: { numbers: 'decimal comma', nulls: ['?'] } })
    const cells = [
      { id: 'a', mixed: '1.5', good: '1,5', lat: '48,5', lon: '11' },
      { id: 'b', mixed: '12.345', good: '12.345', lat: '?', lon: '?' },
      { id: 'c', mixed: '1', good: '1', lat: '?', lon: '' },
    ]
    inference.add(
      cells.map((row, index) => ({ line: index + 2, cells: row })),
      'text',
    )
    expect(inference.finish('thing').definition.properties).toMatchObject({
      mixed: { type: 'string' },
      good: { type: 'double' },
      location: { type: 'geopoint' },
    })
  })
})

describe('the primary key', () => {
  it.each<[string, Row['cells'][]]>([
    ['id', [{ name: 'a', id: '1' }]],
    ['code', [{ name: 'a', count: '1', code: 'x' }]],
    ['airportId', [{ name: 'a', airportId: '1' }]],
    [
      'name',
      [
        { name: 'a', id: '1' },
        { name: 'b', id: '1' },
      ],
    ],
    [
      'name',
      [
        { name: 'a', id: '1' },
        { name: 'b', id: '' },
      ],
    ],
    ['name', [{ id: '1.5', name: 'a' }]],
    ['year', [{ year: '2001', rate: '0.5' }]],
    ['row', [{ first_name: 'Ada', last_name: 'Lovelace', age: '36' }]],
    [
      'row',
      [
        { age: '36', city: 'London', note: 'x' },
        { age: '36', city: 'Paris', note: 'y' },
      ],
    ],
    [
      'name',
      [
        { age: '36', name: 'Ada', city: 'London' },
        { age: '36', name: 'Bob', city: 'Paris' },
      ],
    ],
    ['state', [{ state: 'Iowa', first_name: 'Ada' }]],
    [
      'row',
      [
        { side: 'a', amount: '5' },
        { side: 'a', amount: '6' },
      ],
    ],
    ['row2', [{ row: 'a' }, { row: 'a' }]],
    ['row', [{ at: '2001-02-03' }, { at: '2001-02-03 00:00' }]],
    ['row', [{ at: 'x'.repeat(513) }]],
  ])('is %s', (key, rows) => {
    const { definition, columns } = infer('text', ...rows)
    expect(definition.primaryKey).toBe(key)
    expect(columns.rowNumber).toBe(key.startsWith('row') ? key : undefined)
  })

  it('is a column that every row has', () => {
    expect(infer('json', { id: 1, name: 'a' }, { name: 'b' }).definition.primaryKey).toBe('name')
    expect(infer('json', { name: 'a' }, { name: 'b', id: 1 }).definition.primaryKey).toBe('name')
  })

  it('is reported with the other candidates', () => {
    const [, note] = textsOf(infer('text', { id: '1', name: 'a', code: 'x' }))
    expect(note).toBe('primary key: id; other candidates: code, name')
  })

  it('names no candidates for numbered rows if there are none', () => {
    const { notes } = infer('text', { day: 'x' }, { day: 'x' })
    expect(notes[1]?.text).toMatch(/^primary key: row, .* no column is certain to be unique$/)
    expect(notes[1]?.remedies).toEqual([{ do: 'chooseKey' }])
  })
})

describe('latitudes and longitudes', () => {
  it('become a geopoint at the position of the first', () => {
    const { definition, columns, notes } = infer('text', {
      id: '1',
      lat: '48',
      x: 'a',
      lon: '11.5',
    })
    expect(Object.keys(definition.properties)).toEqual(['id', 'location', 'x'])
    expect(definition.properties['location']).toEqual({
      type: 'geopoint',
      description: 'From the columns lat and lon.',
    })
    expect(columns.geopoints?.get('location')).toMatchObject({ latitude: 'lat', longitude: 'lon' })
    expect(notes).toContainEqual({ text: 'location: a geopoint from the columns lat and lon' })
  })

  it('get a name that is not taken', () => {
    const { definition } = infer('json', { location: 'here', lat: 1, lon: 2 })
    expect(Object.keys(definition.properties)).toEqual(['location', 'location2'])
  })

  it.each<[string, Row['cells'][]]>([
    ['out of range', [{ lat: '91', lon: '1' }]],
    ['not numbers', [{ lat: 'a', lon: '1' }]],
    [
      'not always both filled',
      [
        { lat: '1', lon: '' },
        { lat: '', lon: '1' },
      ],
    ],
    [
      'not finite',
      [
        { lat: '1', lon: 'NaN' },
        { lat: '1', lon: '2' },
      ],
    ],
  ])('stay two columns if they are %s', (_why, rows) => {
    expect(infer('text', ...rows).columns.geopoints).toBeUndefined()
  })
})

describe('notes', () => {
  it('report outliers, empty columns and values that will be rejected', () => {
    const rows = ['1', 'few', '2'].map((count, n) => ({ id: 'ab\0'[n], count, none: '' }))
    expect(textsOf(infer('text', ...rows))).toEqual([
      'inferred from 3 rows and 3 columns',
      'primary key: id; other candidates: count',
      'id: 1 value contains U+0000 or an unpaired surrogate and is rejected on import',
      'count: a string because of "few" in line 3; otherwise integer',
      'none: a string, because it is always empty',
    ])
  })

  it('report texts that are read in another way, and the option for ambiguous ones', () => {
    const { notes, columns } = infer(
      'text',
      { id: 'a', price: '1,5', total: '1.234', count: 'NA', on: '31.12.2023', at: '01/02/2024' },
      { id: 'b', price: '12', total: '2.500', count: '5', on: '01.02.2024', at: '03/04/2024' },
    )
    expect(notes.slice(2).map(({ text }) => text)).toEqual([
      'price: numbers with a decimal comma',
      'total: numbers with a decimal comma',
      'count: "NA" read as missing',
      'on: dates as DD.MM.YYYY',
      'at: a string, because its dates can be DD/MM/YYYY or MM/DD/YYYY',
    ])
    expect(notes.at(-1)?.remedies?.[0]).toMatchObject({ do: 'chooseDateFormat' })
    expect(columns.columnTexts?.get('count')).toEqual({ nulls: ['NA'] })
    expect(columns.columnTexts?.has('at')).toBe(false)
  })

  it('report unreadable rows, lost digits and empty arrays', () => {
    const inference = inferrer()
    inference.add([{ line: 1, reason: 'is not JSON', excerpt: '{' }], 'json')
    inference.add([{ line: 2, cells: { id: 'a', big: 2 ** 60, list: [] } }], 'json')
    expect(textsOf(inference.finish('thing'))).toEqual(
      expect.arrayContaining([
        '1 row could not be read',
        'big: has integers beyond 2^53, which lose digits in JSON; write them as strings',
        'list: an array of strings, because all arrays are empty',
      ]),
    )
  })
})

describe('names', () => {
  it('that are not valid become display names', () => {
    const { definition, columns } = infer('text', {
      'US Gross': '1',
      usGross: '2',
      'US gross': '3',
    })
    expect(Object.keys(definition.properties)).toEqual(['usGross2', 'usGross', 'usGross3'])
    expect(definition.properties['usGross2']).toMatchObject({ displayName: 'US Gross' })
    expect([...(columns.map ?? [])]).toEqual([
      ['US Gross', 'usGross2'],
      ['US gross', 'usGross3'],
    ])
  })

  it('such as title and name become the title property', () => {
    expect(infer('text', { id: '1', Title: 'a' }).definition.titleProperty).toBe('Title')
    expect(infer('text', { id: '1', 'Display Name': 'a' }).definition.titleProperty).toBe(
      'displayName',
    )
    expect(infer('text', { id: '1', name: '5' }).definition.titleProperty).toBeUndefined()
    expect(infer('text', { name: 'Rhine' }).definition.titleProperty).toBe('name')
  })

  it('of columns are limited in number', () => {
    const wide = Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`c${index}`, 'x']))
    const { definition, columns } = infer('json', wide, wide)
    expect(Object.keys(definition.properties)).toHaveLength(1000)
    expect(columns.ignoreUnmatched).toBe(true)
  })

  it.each([
    ['flights-2k.json.gz', 'flights2k', 'flights-2k'],
    ['/data/US Airports.csv', 'usAirports', 'US Airports'],
    ['C:\\data\\x.parquet', 'x', 'x'],
    ['-', 'object', '-'],
  ])('of files become type names: %s', (file, name, title) => {
    expect(typeNameOf(file)).toBe(name)
    expect(fileTitle(file)).toBe(title)
  })
})

describe('a definition', () => {
  const inferred = infer('text', { id: '1', name: 'a' })

  it('is complete and can be parsed', () => {
    const text = writeDefinition('mine', inferred)
    expect(text).toContain('\n  "objectTypes": [\n')
    const ontology = parseDefinition(JSON.parse(text))
    expect(ontology.families).toEqual(['mine'])
    expect([...ontology.objectTypes.keys()]).toEqual(['thing'])
  })

  it('gets another type without changing the others', () => {
    const other = {
      apiName: 'other',
      primaryKey: 'id',
      properties: { id: { type: 'string' } },
    } as const
    const earlier = { apiName: 'mine', objectTypes: [other] }
    const later = withType(earlier, 'mine', inferred)
    expect(later.objectTypes.map(({ apiName }) => apiName)).toEqual(['other', 'thing'])
    expect(withType(later, 'mine', infer('text', { x: '1' }))).toBe(later)
  })

  it('cannot be inferred without rows', () => {
    expect(() => infer('text')).toThrow('cannot infer a type: the data has no rows')
  })
})
