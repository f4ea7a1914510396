/** The files of the base segments, with their records in the catalogue. */
import type { ColumnFeed, ColumnSegmentRecord } from '../feed/column-feed.ts'
import {
  type KeptSegment,
  keepSegments,
  readSegment,
  removeSegment,
  touchSegment,
} from '../file/segment-file.ts'
import type { BaseSegment } from '../table/table-columns.ts'

export interface RecordedFile extends KeptSegment {
  readonly record: ColumnSegmentRecord
}

export class ColumnFiles {
  readonly #feed: ColumnFeed
  readonly #folder: string
  #lastRead: Promise<unknown> = Promise.resolve()

  constructor(feed: ColumnFeed, folder: string) {
    this.#feed = feed
    this.#folder = folder
  }

  /** Lists the files that the catalogue has records of, the last used first; removes all others. */
  async list(): Promise<readonly RecordedFile[]> {
    const records = await this.#feed.readSegments()
    const kept = await keepSegments(this.#folder, new Set(records.map(({ name }) => name)))
    return records
      .flatMap((record) => {
        // Other machines have files of their own.
        const file = kept.get(record.name)
        return file === undefined ? [] : [{ record, ...file }]
      })
      .sort((a, b) => b.usedAtMs - a.usedAtMs)
  }

  /** Reads a file after all earlier ones; undefined if it is not what its record says. */
  read(record: ColumnSegmentRecord): Promise<BaseSegment | undefined> {
    const base = this.#lastRead.then(() => readSegment(this.#folder, record))
    this.#lastRead = base
    return base
  }

  /** Remembers that a file is in use, for the next start. */
  touch({ name }: ColumnSegmentRecord): void {
    touchSegment(this.#folder, name).catch(() => {})
  }

  /** Removes a file. What remains of it is removed at the next start. */
  remove({ name }: ColumnSegmentRecord): void {
    this.#feed
      .removeSegments([name])
      .then(() => removeSegment(this.#folder, name))
      .catch(() => {})
  }
}
