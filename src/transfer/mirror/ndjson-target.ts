/**
 * A mirror in an NDJSON file, one line for each object in key order. A line cannot be changed in
 * place, so the lines are kept in `FILE.ndjson.state`, an SQLite database, together with the state.
 * Whenever the mirror has caught up, the whole file is written from there and renamed: it always is
 * the exact copy as of one moment, and a change costs one pass over the file.
 */
import { existsSync } from 'node:fs'
import type { PrimaryKeyType } from '../../ontology/definition/property-type.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { writeAll, writeWholeFile } from '../export/export-file.ts'
import type { MirrorColumn, MirrorLayout } from './mirror-database.ts'
import type { MirroredType } from './mirrored-type.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { type MirrorState, type ObjectChanges, TableTarget } from './table-target.ts'

/** After a write, the next one waits this many times as long, so that writing takes a tenth of the time. */
const PAUSE_FACTOR = 9
const CHUNK_LENGTH = 1024 * 1024

export class NdjsonTarget extends TableTarget {
  readonly #path: string
  readonly #lines: LineDatabase
  /** Whether the file may differ from the lines; it may have been killed between the two. */
  #isStale = true

  constructor(path: string) {
    const lines = new LineDatabase(`${path}.state`)
    super(lines, 'objects')
    this.#path = path
    this.#lines = lines
  }

  override get name(): string {
    return this.#path
  }

  protected override get remedy(): string {
    return 'Choose another file, or pass --replace to overwrite it.'
  }

  override async open(
    type: MirroredType,
    options: { readonly replace: boolean },
  ): Promise<MirrorState | undefined> {
    const state = await super.open(type, options)
    if (state === undefined && !options.replace && existsSync(this.#path)) {
      throw new Error(
        `${this.#path} exists and is not a mirror: ${this.#path}.state does not say what it contains. ${this.remedy}`,
      )
    }
    return state
  }

  override async publish(changesToken: string): Promise<void> {
    this.#isStale = true
    await super.publish(changesToken)
  }

  override async apply(changes: ObjectChanges): Promise<void> {
    this.#isStale = true
    await super.apply(changes)
  }

  /** Writes the file if it may differ; returns how long to wait before the next time. */
  override async caughtUp(): Promise<number> {
    if (!this.#isStale) return 0
    const startedAt = performance.now()
    await writeWholeFile(this.#path, async (file, part) => {
      for (const chunk of this.#lines.chunks()) await writeAll(file, Buffer.from(chunk), part)
    }).catch((error: unknown) => {
      throw new Error((error as Error).message, { cause: error })
    })
    this.#isStale = false
    return PAUSE_FACTOR * (performance.now() - startedAt)
  }
}

class LineDatabase extends SqliteDatabase {
  override layoutOf({ properties, primaryKey }: MirroredType): MirrorLayout {
    const baseType = properties.get(primaryKey) ?? ''
    const keyType = (baseType === 'LocalDate' ? 'date' : baseType.toLowerCase()) as PrimaryKeyType
    const key: MirrorColumn = {
      name: 'key',
      sqlType: 'TEXT',
      // Its byte order is the order of the keys.
      read: (object) => readPrimaryKey(keyType, object[primaryKey]).pk,
    }
    const line = {
      name: 'line',
      sqlType: 'TEXT',
      read: (object: object) => JSON.stringify(object),
    }
    return { columns: [key, line], key }
  }

  /** Yields the lines of all objects, many at a time. */
  *chunks(): Generator<string> {
    let chunk = ''
    for (const { line } of this.iterate('SELECT line FROM objects ORDER BY key')) {
      chunk += `${line}\n`
      if (chunk.length < CHUNK_LENGTH) continue
      yield chunk
      chunk = ''
    }
    yield chunk
  }
}
