/** Writes lines of NDJSON as a Parquet file, in row groups of bounded size. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { TYPES_KEY } from '../../formats/parquet/parquet-types.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { parquetColumnsOf, schemaOf, type WrittenColumn } from './parquet-schema.ts'

/** Limits of a row group, which is in memory until it is complete. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 8 * 1024 * 1024

const NEWLINE = 0x0a

export class ParquetRows {
  readonly #columns: readonly WrittenColumn[]
  readonly #names: ReadonlySet<string>
  readonly #bytes = new ByteWriter()
  readonly #writer: ParquetWriter
  readonly #write: (bytes: Uint8Array) => Promise<void>
  /** The values of the current row group, one array per column. */
  #values: unknown[][]
  #groupBytes = 0
  /** The beginning of a line whose end has not arrived. */
  #partial: Uint8Array[] = []

  constructor(
    type: ObjectTypeDefinition,
    select: readonly string[] | undefined,
    write: (bytes: Uint8Array) => Promise<void>,
  ) {
    this.#columns = parquetColumnsOf(type, select)
    this.#names = new Set(this.#columns.map(({ name }) => name))
    this.#values = this.#columns.map(() => [])
    this.#write = write
    const types = this.#columns.map(({ name }) => [name, type.properties[name]?.type])
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(this.#columns),
      kvMetadata: [{ key: TYPES_KEY, value: JSON.stringify(Object.fromEntries(types)) }],
    })
  }

  /** Adds bytes of NDJSON, which may end within a line. */
  async add(bytes: Uint8Array): Promise<void> {
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#addLine(Buffer.concat([...this.#partial, bytes.subarray(start, end)]))
      this.#partial = []
      start = end + 1
      if (this.#isFull) await this.#endGroup()
    }
    // Copied, because the caller may reuse its buffer.
    if (start < bytes.length) this.#partial.push(Buffer.from(bytes.subarray(start)))
  }

  async finish(): Promise<void> {
    if (this.#partial.length > 0) this.#addLine(Buffer.concat(this.#partial))
    await this.#endGroup()
    await this.#writer.finish()
    await this.#flush()
  }

  get #isFull(): boolean {
    return (this.#values[0]?.length ?? 0) >= GROUP_ROWS || this.#groupBytes >= GROUP_BYTES
  }

  #addLine(line: Buffer): void {
    const object = JSON.parse(line.toString('utf8')) as Readonly<Record<string, unknown>>
    for (const name of Object.keys(object)) {
      if (!this.#names.has(name)) {
        throw new Error(
          `property ${name} was added to the type during the export. Run the command again.`,
        )
      }
    }
    for (const [index, { name, convert }] of this.#columns.entries()) {
      const value = object[name] ?? null
      this.#values[index]?.push(value === null ? null : convert(value))
    }
    this.#groupBytes += line.length
  }

  async #endGroup(): Promise<void> {
    const values = this.#values
    const rows = values[0]?.length ?? 0
    if (rows === 0) return
    this.#values = this.#columns.map(() => [])
    this.#groupBytes = 0
    const columnData = this.#columns.map(({ name }, index) => ({
      name,
      data: values[index] ?? [],
      offsetIndex: false,
    }))
    await this.#writer.write({ columnData, rowGroupSize: rows })
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const bytes = this.#bytes.getBytes()
    if (bytes.length > 0) await this.#write(bytes)
    this.#bytes.index = 0
  }
}
