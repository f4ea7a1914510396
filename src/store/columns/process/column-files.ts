/** The files of the base segments, with their records in the catalogue. */
import type { ColumnFeed, ColumnSegmentRecord } from '../feed/column-feed.ts'
import {
  describeSegments,
  type KeptFile,
  keepFiles,
  openSegments,
  removeSegments,
  touchSegments,
  type WrittenSegments,
} from '../file/segment-file.ts'
import type { BaseSegments } from '../table/table-columns.ts'

export interface RecordedFile extends KeptFile {
  readonly record: ColumnSegmentRecord
}

export class ColumnFiles {
  readonly #feed: ColumnFeed
  readonly #folder: string

  constructor(feed: ColumnFeed, folder: string) {
    this.#feed = feed
    this.#folder = folder
  }

  /** Lists the files that the catalogue has records of, the last used first; removes all others. */
  async list(): Promise<readonly RecordedFile[]> {
    const records = await this.#feed.readSegments()
    const kept = await keepFiles(this.#folder, new Set(records.map(({ name }) => name)))
    return records
      .flatMap((record) => {
        // Other machines have files of their own.
        const file = kept.get(record.name)
        return file === undefined ? [] : [{ record, ...file }]
      })
      .sort((a, b) => b.usedAtMs - a.usedAtMs)
  }

  /** Describes the segments that were written during a load, and returns the record of their file. */
  async describe(
    written: WrittenSegments,
    base: Omit<BaseSegments, 'segments'>,
  ): Promise<ColumnSegmentRecord> {
    const { typeRid, source, generation, version } = base
    const record = { name: written.name, typeRid, table: source.table, generation, version }
    await describeSegments(this.#folder, written, base)
    await this.#feed.addSegment(record)
    return record
  }

  /** Removes a file that was not described. */
  discard(name: string): void {
    removeSegments(this.#folder, name).catch(() => {})
  }

  /** Opens a file; undefined if it is not what its record says. */
  open(record: ColumnSegmentRecord): Promise<BaseSegments | undefined> {
    return openSegments(this.#folder, record)
  }

  /** Remembers that a file is in use, for the next start. */
  touch({ name }: ColumnSegmentRecord): void {
    touchSegments(this.#folder, name).catch(() => {})
  }

  /** Removes a file. What remains of it is removed at the next start. */
  remove({ name }: ColumnSegmentRecord): void {
    this.#feed
      .removeSegments([name])
      .then(() => removeSegments(this.#folder, name))
      .catch(() => {})
  }
}
