/** Files as people have them: other encodings, delimiters, numbers and dates, nested data, Parquet. */
import { readFileSync } from 'node:fs'
import { gzipSync, zstdCompressSync } from 'node:zlib'

export interface MessyFile {
  readonly name: string
  readonly what: string
  readonly content: Buffer
  /** The options that the error message of an import without them names. */
  readonly options: readonly string[]
  /** The number of objects. */
  readonly objects: number
}

/** The first object of some files, to check how values are read. */
export const FIRST_OBJECTS: Readonly<Record<string, object>> = {
  'excel-europe.csv': { Nr: 1, Artikel: 'Schlüssel', preis: 12.5 },
  'german.csv': { id: 1, preis: 12.5, menge: 1234 },
  'us-grouped.csv': { state: 'Iowa', population: 3_190_369, area: 55857 },
  'ambiguous-numbers.csv': { id: 1, value: 1.234 },
  'ambiguous-dates.csv': { id: 1, opened: '2024-04-03' },
  'german-dates.csv': { id: 1, am: '2023-12-31T00:00:00Z' },
  'us-times.csv': { id: 1, at: '2023-12-31T23:59:00Z' },
  'missing-values.csv': { id: 1, temp: 3.5, day: '2024-01-02' },
  'us-month-names.csv': { id: 1, on: '2000-01-01' },
  'missing-texts.csv': { id: 1, city: 'Windhoek', country: 'NA' },
  'measurements.ndjson': { id: 1, v: '0.5' },
  'places.geojson': {
    id: 'bern',
    name: 'Bern',
    people: 134_794,
    geometry: { type: 'Point', coordinates: [7.447, 46.948] },
  },
  'nested.json': {
    id: 1,
    name: 'Ada',
    address: { city: 'London', geo: { zip: 'W1' } },
    tags: ['a', 'b'],
  },
  'nested-orders.ndjson': {
    id: 'o-1',
    customer: { name: 'Ada', address: { city: 'London', geo: { lat: 51.5, lon: -0.12 } } },
    lines: [{ sku: 'x', price: 1.5, discounts: [{ code: 'A', percent: 5 }], notes: '[["a"]]' }],
    meta: { source: 'web', raw: '{"a b":1}' },
  },
  'nested-flat.ndjson': {
    id: 1,
    name: 'Ada',
    addressCity: 'London',
    addressGeoZip: 'W1',
    tags: ['a', 'b'],
  },
  'arrow-types.parquet': {
    id: '1',
    flag: true,
    small: 1,
    medium: 1,
    count: 10,
    unsigned: '1',
    ratio: 0.5,
    weight: 0.25,
    price: '12.50',
    day: '2024-02-29',
    at: '2024-02-29T12:30:00.123456Z',
    clock: '12:30:00',
    kind: 'a',
  },
  'spark-int96.parquet': {
    id: 0,
    name: 'n0',
    amount: '0.00',
    at: '2024-02-29T12:30:00Z',
    day: '2024-02-29',
    numbers: ['0', '1'],
    address: { street: 'Main', number: 0 },
  },
}

const CITIES = 'id,city,population\n1,Zürich,443037\n2,Genève,203856\n3,Łódź,672185\n'

function utf16(text: string, { isBigEndian = false, hasMark = true } = {}): Buffer {
  const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}${text}`, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

function windows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll('€', '\x80'), 'latin1')
}

function ndjson(...rows: readonly unknown[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

function csv(
  name: string,
  what: string,
  content: string | Buffer,
  objects: number,
  ...options: string[]
): MessyFile {
  return { name, what, content: Buffer.from(content), objects, options }
}

const PEOPLE = [
  { id: 1, name: 'Ada', address: { city: 'London', geo: { zip: 'W1' } }, tags: ['a', 'b'] },
  { id: 2, name: 'Alan', address: { city: 'Wilmslow', geo: { zip: null } }, tags: [] },
]

const TEXT_FILES: readonly MessyFile[] = [
  csv('bom.csv', 'CSV, UTF-8 with a byte order mark', `\ufeff${CITIES}`, 3),
  csv(
    'excel-unicode.txt',
    'Excel "Unicode text": UTF-16, tabs',
    utf16(CITIES.replaceAll(',', '\t')),
    3,
  ),
  csv('utf16be.csv', 'CSV, UTF-16 big-endian', utf16(CITIES, { isBigEndian: true }), 3),
  csv(
    'utf16-no-bom.csv',
    'CSV, UTF-16 without a byte order mark',
    utf16(CITIES, { hasMark: false }),
    3,
  ),
  csv(
    'latin1.csv',
    'CSV, Latin-1',
    windows1252('id,city\n1,Zürich\n2,Genève\n'),
    2,
    '--encoding',
    'windows-1252',
  ),
  csv(
    'excel-europe.csv',
    'Excel in Western Europe: Windows-1252, semicolons, decimal commas',
    windows1252('Nr;Artikel;Preis €\r\n1;Schlüssel;12,50\r\n2;Größe M;1.299,00\r\n'),
    2,
    '--encoding',
    'windows-1252',
  ),
  csv('sep-line.csv', 'CSV with the line sep=;', 'sep=;\nid;name\n1;a,b\n2;c\n', 2),
  csv('pipes.txt', 'vertical bars', 'id|name|since\n1|a|2020-01-02\n2|b|2021-03-04\n', 2),
  csv('tabs.tsv', 'TSV with a gap', 'id\tname\tnote\n1\ta\t\n2\tb\tx\n', 2),
  csv(
    'crlf-quotes.csv',
    'CSV with quoted line breaks and CRLF',
    'id,text\r\n1,"two\r\nlines"\r\n2,"say ""hi"""\r\n',
    2,
  ),
  csv(
    'german.csv',
    'decimal commas and grouped digits',
    'id;preis;menge\n1;12,5;1.234\n2;0,99;12.000\n',
    2,
  ),
  csv(
    'us-grouped.csv',
    'numbers in quotes with commas',
    'state,population,area\nTexas,"29,145,505",268596.5\nIowa,"3,190,369",55857\n',
    2,
  ),
  csv('swiss.csv', 'Swiss numbers', "kanton;einwohner\nZH;1'553'423\nUR;36'819\n", 2),
  csv(
    'ambiguous-numbers.csv',
    'numbers that can be read in two ways',
    'id;value\n1;1,234\n2;2,500\n',
    2,
    '--decimal-comma',
  ),
  csv('german-dates.csv', 'dates with points', 'id;am\n1;31.12.2023\n2;01.02.2024 08:30\n', 2),
  csv('us-dates.csv', 'dates, month first', 'id,opened\n1,12/31/2023\n2,1/2/2024\n', 2),
  csv('uk-dates.csv', 'dates, day first', 'id,opened\n1,31/12/2023\n2,1/2/2024\n', 2),
  csv(
    'ambiguous-dates.csv',
    'dates that can be read in two ways',
    'id,opened\n1,03/04/2024\n2,05/06/2024\n',
    2,
    '--date-format',
    'DD/MM/YYYY',
  ),
  csv(
    'us-times.csv',
    'times with AM and PM',
    'id,at\n1,12/31/2023 11:59 PM\n2,1/2/2024 12:00 AM\n',
    2,
  ),
  csv(
    'month-names.csv',
    'dates with names of months',
    'id,on\n1,02 Jan 2024\n2,15 December 2023\n',
    2,
  ),
  csv(
    'us-month-names.csv',
    'dates with names of months first',
    'id,on\n1,Jan 1 2000\n2,"December 31, 1999"\n',
    2,
  ),
  csv(
    'missing-texts.csv',
    'NA for missing texts, and as the code of a country',
    'id,city,country\n1,Windhoek,NA\n2,NA,CH\n',
    2,
  ),
  csv(
    'people.csv',
    'names of persons, which happen to differ',
    'first_name,last_name,age\nAda,Lovelace,36\nAlan,Turing,41\n',
    2,
  ),
  csv(
    'missing-values.csv',
    'NA and - for missing values',
    'id,temp,day\n1,3.5,2024-01-02\n2,NA,-\n3,NA,2024-01-04\n',
    3,
  ),
  csv('empty-columns.csv', 'empty columns and rows', 'id,name,,\n1,a,,\n,,,\n2,b,,\n', 2),
  csv('duplicate-headers.csv', 'the same header twice', 'id,name,name\n1,a,b\n2,c,d\n', 2),
  csv(
    'header-names.csv',
    'headers with spaces and signs',
    'Customer ID,E-mail address,Größe (m)\n7,a@b.c,1.75\n8,d@e.f,1.8\n',
    2,
  ),
  csv('codes.csv', 'codes with leading zeros', 'zip,place\n01067,Dresden\n80331,München\n', 2),
  csv('repeated-keys.csv', 'no unique column', 'day,event\n2024-01-01,a\n2024-01-01,a\n', 2),
  csv(
    'large-numbers.csv',
    'numbers beyond 2^53',
    'id,big,exact\n1,9007199254740993,0.1234567890123456789\n2,5,1.5\n',
    2,
  ),
  csv(
    'places.csv.gz',
    'latitude and longitude, gzip',
    gzipSync('name,Latitude,Longitude\nBern,46.948,7.447\nOslo,59.913,10.752\n'),
    2,
  ),
]

function feature(id: string, properties: object, coordinates: readonly number[]) {
  return { type: 'Feature', id, properties, geometry: { type: 'Point', coordinates } }
}

const JSON_FILES: readonly MessyFile[] = [
  {
    name: 'nested.json',
    what: 'JSON array with nested objects',
    content: Buffer.from(JSON.stringify(PEOPLE, null, 2)),
    objects: 2,
    options: [],
  },
  {
    name: 'nested-flat.ndjson',
    what: 'the same as NDJSON, flattened',
    content: ndjson(...PEOPLE),
    options: ['--flatten'],
    objects: 2,
  },
  {
    name: 'nested-orders.ndjson',
    what: 'NDJSON with nested objects and lists, nulls and irregular members',
    content: Buffer.from(
      [
        '{"id":"o-1","customer":{"name":"Ada","address":{"city":"London","geo":{"lat":51.5,"lon":-0.12}}},"lines":[{"sku":"x","price":1.5,"discounts":[{"code":"A","percent":5}],"notes":[["a"]]}],"meta":{"source":"web","raw":{"a b":1}}}',
        '{"id":"o-2","customer":{"name":"Bob","vip":true,"address":null},"lines":[],"meta":{"source":"shop","raw":"none"}}',
        '{"id":"o-3","customer":{"name":"Eve","address":{"city":null,"geo":{}}},"lines":[{"sku":"y","price":2,"discounts":[]}]}',
      ].join('\n'),
    ),
    options: [],
    objects: 3,
  },
  {
    name: 'sparse.ndjson',
    what: 'NDJSON whose rows differ',
    content: ndjson({ id: 1, a: 1 }, { id: 2, b: 'x', a: 2.5 }),
    objects: 2,
    options: [],
  },
  {
    name: 'mixed.json',
    what: 'JSON with values of several types',
    content: Buffer.from('[{"id": "a", "v": 1}, {"id": "b", "v": "two"}, {"id": "c", "v": [3]}]'),
    objects: 3,
    options: [],
  },
  {
    name: 'long-ids.ndjson',
    what: 'JSON with ids beyond 2^53',
    content: Buffer.from('{"id": 9007199254740993, "n": 1}\n{"id": 9007199254740995, "n": 2}\n'),
    objects: 2,
    options: [],
  },
  {
    name: 'measurements.ndjson',
    what: 'JSON with fractions and a number of 18 digits',
    content: Buffer.from('{"id": 1, "v": 0.5}\n{"id": 2, "v": 123456789012345678}\n'),
    objects: 2,
    options: [],
  },
  {
    name: 'places.geojson',
    what: 'GeoJSON: a collection of points',
    content: Buffer.from(
      JSON.stringify({
        type: 'FeatureCollection',
        features: [
          feature('bern', { name: 'Bern', people: 134_794 }, [7.447, 46.948]),
          feature('oslo', { name: 'Oslo', people: 709_037 }, [10.752, 59.913]),
        ],
      }),
    ),
    objects: 2,
    options: [],
  },
  {
    name: 'bom.json.zst',
    what: 'JSON with a byte order mark, zstd',
    content: zstdCompressSync(`\ufeff${JSON.stringify([{ id: 1, at: '2024-01-02 03:04' }])}`),
    objects: 1,
    options: [],
  },
]

function parquet(name: string, what: string, objects: number, ...options: string[]): MessyFile {
  const content = readFileSync(new URL(`parquet/${name}`, import.meta.url))
  return { name, what, content, objects, options }
}

const PARQUET_FILES: readonly MessyFile[] = [
  parquet('arrow-types.parquet', 'pyarrow, snappy: every type', 3),
  parquet('arrow-nested.parquet', 'pyarrow, zstd: lists and structs', 2),
  parquet('arrow-binary.parquet', 'pyarrow, gzip: a binary column', 2, '--ignore', 'photo'),
  parquet('arrow-int96.parquet', 'pyarrow: INT96 timestamps', 2),
  parquet('arrow-empty-columns.parquet', 'pyarrow, brotli: empty columns', 2),
  parquet('duckdb-snappy.parquet', 'DuckDB, snappy', 3),
  parquet('duckdb-zstd.parquet', 'DuckDB, zstd', 3),
  parquet('duckdb-map.parquet', 'DuckDB: a map', 2),
  parquet('spark-int96.parquet', 'Spark: INT96 timestamps, decimals', 3),
  parquet('spark-gzip.parquet', 'Spark, gzip', 3),
  parquet('spark-legacy.parquet', 'Spark, legacy format: text as bytes', 2, '--ignore', 'raw'),
]

export const MESSY_FILES: readonly MessyFile[] = [...TEXT_FILES, ...JSON_FILES, ...PARQUET_FILES]
