import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { contentOf, inChunks } from '../../../test/support/byte-chunks.ts'
import { parquetFile } from '../../../test/support/parquet-file.ts'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import { type InputOptions, openInput } from './open-input.ts'

let folder: TempFolder
beforeAll(() => {
  folder = tempFolder()
})
afterAll(() => folder[Symbol.dispose]())

const noStdin = Readable.from([])

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder.path, name)
  writeFileSync(path, content)
  return path
}

async function read(name: string, content: string | Uint8Array, options?: Partial<InputOptions>) {
  const input = await openInput(await write(name, content), { stdin: noStdin, ...options })
  return { format: input.format, rows: await contentOf(input.source) }
}

async function readStdin(content: string | Uint8Array, options?: Partial<InputOptions>) {
  const stdin = Readable.from(inChunks(content, [3]))
  const input = await openInput('-', { stdin, ...options })
  return { format: input.format, rows: await contentOf(input.source) }
}

/** Returns the files of the test that this process has open; empty on systems without /proc. */
function openFiles(): string[] {
  if (!existsSync('/proc/self/fd')) return []
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(join('/proc/self/fd', descriptor))
      } catch {
        return ''
      }
    })
    .filter((path) => path.startsWith(folder.path))
}

const CSV = 'a,b\n1,x\n2,y\n'
const NDJSON = '{"a":1}\n{"a":2}\n'
const ARRAY = '[{"a":1},\n{"a":2}]'
const PARQUET = parquetFile([{ name: 'a', type: 'INT32', values: [1, 2] }])
const csvRows = [
  [2, { a: '1', b: 'x' }],
  [3, { a: '2', b: 'y' }],
]
const rows = [
  [1, { a: 1 }],
  [2, { a: 2 }],
]

describe('an input', () => {
  it.each([
    ['x.csv', CSV, 'csv', csvRows],
    ['x.tsv', 'a\tb,c\n1\t2\n', 'tsv', [[2, { a: '1', 'b,c': '2' }]]],
    ['x.ndjson', NDJSON, 'ndjson', rows],
    ['X.JSONL', NDJSON, 'ndjson', rows],
    ['x.json', ARRAY, 'json', rows],
    ['x.json', NDJSON, 'ndjson', rows],
    ['x.parquet', PARQUET, 'parquet', rows],
    ['x.v1.csv', CSV, 'csv', csvRows],
    ['x', CSV, 'csv', csvRows],
    ['x.txt', NDJSON, 'ndjson', rows],
    [
      'x.txt',
      ` \n${ARRAY}`,
      'json',
      [
        [2, { a: 1 }],
        [3, { a: 2 }],
      ],
    ],
    ['x.csv', PARQUET, 'parquet', rows],
  ] as const)('%s is recognised, compressed or not', async (name, content, format, expected) => {
    const plain = { format, rows: expected }
    expect(await read(name, content)).toEqual(plain)
    expect(await read(`${name}.gz`, gzipSync(content))).toEqual(plain)
    expect(await read(`${name}.zst`, zstdCompressSync(content))).toEqual(plain)
    expect(await read(name, gzipSync(content))).toEqual(plain)
  })

  it('can be standard input', async () => {
    expect(await readStdin(CSV)).toEqual({ format: 'csv', rows: csvRows })
    expect(await readStdin(zstdCompressSync(ARRAY))).toEqual({ format: 'json', rows })
    expect(await readStdin('a;b\n1;2\n', { format: 'csv', delimiter: ',' })).toEqual({
      format: 'csv',
      rows: [[2, { 'a;b': '1;2' }]],
    })
  })

  it('of compressed or piped Parquet is copied to a temporary file', async () => {
    const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('oqs-input-'))
    const before = copies().length
    expect(await readStdin(gzipSync(PARQUET))).toEqual({ format: 'parquet', rows })
    const input = await openInput('-', { stdin: Readable.from(inChunks(PARQUET)) })
    expect(copies()).toHaveLength(before + 1)
    await input.close()
    await input.close()
    expect(copies()).toHaveLength(before)
  })

  it.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('of %s Parquet is copied up to a limit, and the copy is always removed', async (_, pack) => {
    const temporary = join(folder.path, 'temporary')
    mkdirSync(temporary, { recursive: true })
    vi.stubEnv('TMPDIR', temporary)
    try {
      const bomb = pack(Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(20_000_000)]))
      expect(bomb.length).toBeLessThan(100_000)
      const path = await write('bomb.parquet', bomb)
      await expect(openInput(path, { stdin: noStdin, maxTempBytes: 1_000_000 })).rejects.toThrow(
        `${path}: needs more than 1000000 bytes as a temporary file`,
      )
      expect(readdirSync(temporary)).toEqual([])
      // Within the limit it is read, but it is not a Parquet file.
      await expect(openInput(path, { stdin: noStdin })).rejects.toThrow(path)
      expect(readdirSync(temporary)).toEqual([])
      const fits = { maxTempBytes: PARQUET.length }
      expect(await readStdin(pack(PARQUET), fits)).toEqual({ format: 'parquet', rows })
      const less = { maxTempBytes: PARQUET.length - 1 }
      await expect(readStdin(pack(PARQUET), less)).rejects.toThrow('needs more than')
      expect(readdirSync(temporary)).toEqual([])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('reports the number of bytes read', async () => {
    const content = CSV + '3,z\n'.repeat(100_000)
    for (const bytes of [Buffer.from(content), gzipSync(content)]) {
      const input = await openInput(await write('long.csv', bytes), { stdin: noStdin })
      expect(input.totalBytes).toBe(bytes.length)
      let last = 0
      for await (const some of input.source.rows) {
        expect(some.length).toBeGreaterThan(0)
        expect(input.bytesRead()).toBeGreaterThanOrEqual(last)
        last = input.bytesRead()
      }
      expect(input.bytesRead()).toBe(bytes.length)
    }
    const parquet = await openInput(await write('x.parquet', PARQUET), { stdin: noStdin })
    expect(parquet.bytesRead()).toBe(0)
    await contentOf(parquet.source)
    expect(parquet.bytesRead()).toBe(PARQUET.length)
  })

  it('is closed when reading stops early', async () => {
    const content = CSV + '3,z\n'.repeat(200_000)
    for (const bytes of [content, gzipSync(content), zstdCompressSync(content), PARQUET]) {
      const path = await write('stopped', bytes)
      const input = await openInput(path, { stdin: noStdin })
      for await (const some of input.source.rows) if (some.length > 0) break
      const unread = await openInput(path, { stdin: noStdin })
      await unread.close()
    }
    expect(openFiles()).toEqual([])
  })

  it('can be closed while it waits for more data', async () => {
    const stdin = new PassThrough()
    stdin.write(CSV + '3,z\n'.repeat(50))
    const input = await openInput('-', { stdin })
    const reader = input.source.rows[Symbol.asyncIterator]()
    expect((await reader.next()).value?.length).toBeGreaterThan(0)
    const waiting = reader.next().catch((error: Error) => error.message)
    await input.close()
    expect(stdin.destroyed).toBe(true)
    expect(await waiting).toBe('Premature close')
  })

  it('of several compressed parts is read to its end, wherever chunks are split', async () => {
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
    const parts = ['a,b\n1,', 'x\n', '2,y\n']
    const zstd = Buffer.concat([
      skipped,
      ...parts.flatMap((part) => [zstdCompressSync(part), skipped]),
      zstdCompressSync(''),
    ])
    const gzip = Buffer.concat(parts.map((part) => gzipSync(part)))
    for (const bytes of [zstd, gzip]) {
      expect((await read('parts.csv', bytes)).rows).toEqual(csvRows)
      for (const cut of [1, 2, 3, 5, 1000]) {
        const input = await openInput('-', { stdin: Readable.from(inChunks(bytes, [cut])) })
        expect(await contentOf(input.source)).toEqual(csvRows)
      }
    }
  })
})

describe('an input that cannot be read', () => {
  const many = CSV + Array.from({ length: 50_000 }, (_, index) => `${index},z\n`).join('')
  const changed = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    copy.fill(0xff, at, at + 40)
    return copy
  }

  const DAMAGED_GZIP = 'the gzip data is damaged'
  const DAMAGED_ZSTD = 'the zstd data is damaged'

  it.each([
    ['empty.csv', '', 'is empty'],
    ['empty.csv.gz', gzipSync(''), 'is empty after decompression'],
    ['cut.csv.gz', gzipSync(many).subarray(0, 20_000), `${DAMAGED_GZIP} or truncated: unexpec`],
    ['cut.csv.zst', zstdCompressSync(many).subarray(0, 9_000), `${DAMAGED_ZSTD} or truncated: `],
    ['broken.csv.gz', changed(gzipSync(many), 9_000), `${DAMAGED_GZIP} or truncated: `],
    ['broken.csv.zst', changed(zstdCompressSync(many), 9_000), DAMAGED_ZSTD],
    ['more.csv.zst', Buffer.concat([zstdCompressSync(CSV), Buffer.from('more')]), 'the zstd data'],
    ['more.csv.gz', Buffer.concat([gzipSync(CSV), Buffer.from('more')]), DAMAGED_GZIP],
    ['no.csv.gz', CSV, 'has a gzip file name, but is not gzip data'],
    ['no.csv.zst', gzipSync(CSV), 'has a zstd file name, but is not zstd data'],
    ['book.xlsx', Buffer.from('PK\x03\x04 and more'), 'is a ZIP archive or a workbook'],
    ['no.parquet', CSV, 'not a Parquet file, or truncated'],
    ['cut.parquet', PARQUET.subarray(0, -5), 'not a Parquet file, or truncated'],
    ['one.json', '{\n"a":1}', 'line 1: a single JSON object; expected an array of objects'],
    ['quote.csv', 'a,b\n1,"2\n', 'line 2: the quote that opens here is never closed'],
  ] as const)('is reported in one line with its name: %s', async (name, content, message) => {
    const reading = read(name, content)
    await expect(reading).rejects.toThrow(`${join(folder.path, name)}: ${message}`)
    await expect(reading).rejects.toHaveProperty('name', 'UnreadableFile')
    await expect(reading).rejects.not.toThrow('\n')
    expect(openFiles()).toEqual([])
  })

  it('is reported if it is missing, a directory or empty', async () => {
    const path = join(folder.path, 'none.csv')
    await expect(openInput(path, { stdin: noStdin })).rejects.toThrow(
      `${path}: the file does not exist`,
    )
    const directory = join(folder.path, 'directory')
    mkdirSync(directory)
    await expect(openInput(directory, { stdin: noStdin })).rejects.toThrow(
      `${directory}: is a directory`,
    )
    await expect(readStdin('')).rejects.toThrow('standard input: is empty')
  })
})
