import { describe, expect, it } from 'vitest'
import { contentOf, inChunks } from '../../../test/support/byte-chunks.ts'
import { exportEndLine } from '../export-end.ts'
import { readCsv } from './read-csv.ts'
import { csvLine } from './write-csv.ts'

const read = (text: string | Uint8Array, delimiter?: string, cuts?: readonly number[]) =>
  contentOf(readCsv(inChunks(text, cuts), { delimiter }))

describe('CSV', () => {
  it('can have quotes, both line endings and blank lines', async () => {
    const text =
      '\ufeff"id",name\r\n\r\n1,"a ""b"", c"\r\n2,"two\r\nlines\n\nfour"\r\n   \n3,5" pipe\n4,'
    expect(await read(text)).toEqual([
      [3, { id: '1', name: 'a "b", c' }],
      [4, { id: '2', name: 'two\r\nlines\n\nfour' }],
      [9, { id: '3', name: '5" pipe' }],
      [10, { id: '4' }],
    ])
  })

  it('distinguishes an empty text from a missing value', async () => {
    expect(await read('a,b,c\n,"",x\n"",,\n')).toEqual([
      [2, { b: '', c: 'x' }],
      [3, { a: '' }],
    ])
  })

  it('keeps a column named __proto__', async () => {
    const [row] = await read('__proto__,constructor\n1,2\n')
    expect(Object.entries(row?.[1] as object)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
  })

  it('continues after invalid records', async () => {
    const bytes = Buffer.from('a,b,c\n1,2\n1,2,3,4\nx\n"1"2,3,4\n\xe9,2,3\n1,2,3\n', 'latin1')
    expect(await read(bytes)).toEqual([
      [2, 'has 2 columns, the header has 3'],
      [3, 'has 4 columns, the header has 3'],
      [4, 'has 1 column, the header has 3'],
      [5, 'has text after the closing quote of column 1'],
      [6, 'is not UTF-8'],
      [7, { a: '1', b: '2', c: '3' }],
    ])
  })

  it('skips a line of many megabytes', async () => {
    const text = `a,b\n1,${'x'.repeat(9_000_000)}\n1,2\n`
    expect(await read(text, undefined, [65_536])).toEqual([
      [2, 'is longer than 8388608 bytes'],
      [3, { a: '1', b: '2' }],
    ])
  })

  it.each([
    ['a;b\n1,5;2\n', { a: '1,5', b: '2' }],
    ['a\tb\n1,5\t2|3\n', { a: '1,5', b: '2|3' }],
    ['a|b\n1|2\n', { a: '1', b: '2' }],
    ['"a;b",c\n1,2\n', { 'a;b': '1', c: '2' }],
    ['a\n1 2\n', { a: '1 2' }],
    ['name, first;age\n"x;y";2\n', { 'name, first': 'x;y', age: '2' }],
    ['a,b;c\n1,2\n3,4\n', { a: '1', 'b;c': '2' }],
  ])('detects the delimiter of %j', async (text, cells) => {
    const rows = await read(text)
    expect(rows[0]).toEqual([2, cells])
    expect(await read(text, undefined, [1])).toEqual(rows)
  })

  it('uses a given delimiter', async () => {
    expect(await read('a;b,c\n1;2,3\n', ';')).toEqual([[2, { a: '1', 'b,c': '2,3' }]])
    expect(await read('a:b\n1:2\n', ':')).toEqual([[2, { a: '1', b: '2' }]])
    expect(await read('a\tb\n\t\n1\t\n', '\t')).toEqual([[3, { a: '1' }]])
  })

  it('numbers repeated and missing names, and leaves out columns without name and values', async () => {
    expect(await read('a,,a,a 2,\n1,2,3,4,\n')).toEqual([
      [2, { a: '1', 'column 2': '2', 'a 3': '3', 'a 2': '4' }],
    ])
    expect(await read('a,b\n1,2,,\n')).toEqual([[2, { a: '1', b: '2' }]])
  })

  it('reads the delimiter that its first line declares', async () => {
    expect(await read('\ufeffsep=|\r\na|b,c\n1|2,3\n')).toEqual([[3, { a: '1', 'b,c': '2,3' }]])
    expect(await read('sep=;\na;b\n1;2\n', ';')).toEqual([[3, { a: '1', b: '2' }]])
  })

  it('checks and skips the end line of an export', async () => {
    const lines = [csvLine(['id']), csvLine(['#1']), csvLine(['# end of export: 9 objects'])]
    const text = lines.join('\n')
    const cells = [
      [2, { id: '#1' }],
      [3, { id: '# end of export: 9 objects' }],
    ]
    expect(await read(`${text}\n${exportEndLine('csv', 2, 7)}\n\n`)).toEqual(cells)
    await expect(read(`${text}\n${exportEndLine('csv', 3, 7)}\n`)).rejects.toThrow(
      'line 4: the file was truncated or changed: the export had 3 objects, the file has 2',
    )
    await expect(read(`${text}\n${exportEndLine('csv', 2, 7)}\nx\n`)).rejects.toThrow(
      'line 5: there is data after the end of the export',
    )
    await expect(read(`${text}\n# export failed: {}\n`)).rejects.toThrow(
      'line 4: the export failed here and is incomplete; export again',
    )
  })

  it.each([
    ['', 'the file has no header line'],
    ['\n\n', 'the file has no header line'],
    ['\n,\n1,2\n', 'line 2: the header has no names'],
    ['"a"b,c\n', 'line 1: the header has text after the closing quote of column 1'],
    ['a,b\r1,2\r', 'line 1: the header contains a carriage return; lines must end with LF or CRLF'],
    ['a,b\n1,2\n3,"x\n\n4,5\n', 'line 3: the quote that opens here is never closed'],
    [
      `a,b\n1,"${`${'x'.repeat(999_999)}\n`.repeat(10)}`,
      'line 2: the record is longer than 8388608 bytes; check for a quote that is never closed',
    ],
  ])('cannot be read: %#', async (text, message) => {
    await expect(read(text, undefined, [65_536])).rejects.toThrow(message)
  })

  it('cannot be read if a header or a quoted cell is not UTF-8', async () => {
    await expect(read(Buffer.from('\xe9,b\n', 'latin1'))).rejects.toThrow(
      'line 1: the header is not UTF-8',
    )
    await expect(read(Buffer.from('a,b\n1,"x\n\xe9"\n', 'latin1'))).rejects.toThrow(
      'line 3: is not UTF-8, in the record that starts at line 2',
    )
  })
})
