/**
 * A mirror in a table of a database. The state is a row of `oqs_mirror` in the same database, written
 * in the transaction of the data: data and state always belong together, whenever either side stops.
 */
import { createHash } from 'node:crypto'
import {
  columnList,
  type MirrorDatabase,
  type MirrorLayout,
  quoted,
  type Row,
} from './mirror-database.ts'
import type { MirroredType, Properties } from './mirrored-type.ts'

/** Where a mirror stands. */
export interface MirrorState {
  /** Follow the changes after this token. Undefined before the first copy is complete. */
  readonly changesToken: string | undefined
  /** Go on with the copy that was interrupted. */
  readonly pageToken: string | undefined
  /** Whether the table has the columns of another definition. */
  readonly isOutdated: boolean
}

export interface ObjectChanges {
  readonly puts: readonly Properties[]
  /** Each with the primary key only. */
  readonly deletes: readonly Properties[]
}

const STATES = 'oqs_mirror'

export class TableTarget implements AsyncDisposable {
  readonly #database: MirrorDatabase
  readonly #table: string
  /** The table that a new copy is written to. */
  readonly #copy: string
  #layout: MirrorLayout = NO_LAYOUT
  #isInTransaction = false
  /** How many transactions the mirror has written: another number means another writer. */
  #position = 0

  constructor(database: MirrorDatabase, table: string) {
    this.#database = database
    this.#table = table
    const hash = createHash('sha256').update(table).digest('hex').slice(0, 12)
    this.#copy = `oqs_mirror_copy_${hash}`
  }

  get name(): string {
    return `table ${this.#table} of ${this.#database.name}`
  }

  /** What to do if the target is not a mirror of the type. */
  protected get remedy(): string {
    return 'Choose another --table, or pass --replace to delete it.'
  }

  /** Returns the state of the mirror; undefined if there is none. Throws if the table is another's. */
  async open(
    { source, rid, definition }: MirroredType,
    { replace }: { readonly replace: boolean },
  ): Promise<MirrorState | undefined> {
    await this.discard()
    const row = await this.#readState()
    const hasTable = await this.#database.hasTable(this.#table)
    if (!replace && row === undefined && hasTable) {
      throw new Error(`${this.name} exists and is not a mirror. ${this.remedy}`)
    }
    if (row === undefined) return undefined
    if (row['source'] !== source || row['rid'] !== rid) {
      if (replace) return undefined
      const other =
        row['source'] === source
          ? `another type ${source}: that of another service, or one that was deleted since`
          : `${row['source']}, not of ${source}`
      throw new Error(`${this.name} is a mirror of ${other}. ${this.remedy}`)
    }
    this.#position = Number(row['position'])
    const text = (column: string) => (row[column] as string | null) ?? undefined
    if (row['copied_definition'] === definition) {
      return { changesToken: undefined, pageToken: text('page_token'), isOutdated: false }
    }
    const isOutdated = row['definition'] !== definition
    const changesToken = isOutdated || !hasTable ? undefined : text('changes_token')
    return { changesToken, pageToken: undefined, isOutdated }
  }

  /** Prepares for the changes of a type, or for more pages of an interrupted copy. */
  use(type: MirroredType): void {
    this.#layout = this.#database.layoutOf(type)
  }

  /** Starts a new copy. The table keeps the old one until the new one is complete. */
  async startCopy(type: MirroredType): Promise<void> {
    this.use(type)
    const { columns, key } = this.#layout
    const lines = columns.map(
      ({ name, sqlType }) =>
        `${quoted(name)} ${sqlType}${name === key.name ? ' PRIMARY KEY NOT NULL' : ''}`,
    )
    await this.#begin()
    const { run } = this.#bound
    await run(CREATE_STATES)
    const row = await this.#readState()
    await run(`DROP TABLE IF EXISTS ${quoted(this.#copy)}`)
    await run(`CREATE TABLE ${quoted(this.#copy)} (${lines.join(', ')})`)
    this.#position = Number(row?.['position'] ?? 0) + 1
    const isSame = row?.['rid'] === type.rid
    await run(`DELETE FROM ${STATES} WHERE name = ?`, [this.#table])
    await run(
      `INSERT INTO ${STATES} (name, source, rid, definition, copied_definition, position)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [
        this.#table,
        type.source,
        type.rid,
        isSame ? (row['definition'] ?? null) : null,
        type.definition,
        this.#position,
      ],
    )
    await this.#commit()
  }

  /** Adds a page to the copy, and notes how to go on behind it. */
  async copy(objects: readonly Properties[], pageToken: string | undefined): Promise<void> {
    await this.#begin()
    await this.#database.put(this.#copy, this.#layout, objects)
    await this.#note('page_token = ?', pageToken ?? null)
    // The last page is published in the same transaction.
    if (pageToken !== undefined) await this.#commit()
  }

  /** Replaces the table by the copy, which is then complete. */
  async publish(changesToken: string): Promise<void> {
    await this.#begin()
    const { run } = this.#bound
    const row = await this.#readState()
    const isSame = row?.['definition'] === row?.['copied_definition']
    if (isSame && (await this.#database.hasTable(this.#table))) {
      // Keeps the indexes, views and rights that others have added.
      const columns = columnList(this.#layout)
      await run(`DELETE FROM ${quoted(this.#table)}`)
      await run(
        `INSERT INTO ${quoted(this.#table)} (${columns}) SELECT ${columns} FROM ${quoted(this.#copy)}`,
      )
      await run(`DROP TABLE ${quoted(this.#copy)}`)
    } else {
      await run(`DROP TABLE IF EXISTS ${quoted(this.#table)}`)
      await run(`ALTER TABLE ${quoted(this.#copy)} RENAME TO ${quoted(this.#table)}`)
    }
    await this.#note(
      'definition = copied_definition, copied_definition = NULL, page_token = NULL, changes_token = ?',
      changesToken,
    )
    await this.#commit()
  }

  /** Applies changes, which `advance` commits. */
  async apply({ puts, deletes }: ObjectChanges): Promise<void> {
    await this.#begin()
    await this.#database.remove(this.#table, this.#layout, deletes)
    await this.#database.put(this.#table, this.#layout, puts)
  }

  /** Commits the applied changes together with the token that follows them. */
  async advance(changesToken: string): Promise<void> {
    await this.#begin()
    await this.#note('changes_token = ?', changesToken)
    await this.#commit()
  }

  /** Called after each commit; returns how many milliseconds to wait before the next changes. */
  async caughtUp(): Promise<number> {
    return 0
  }

  /** Undoes what has not been committed. */
  async discard(): Promise<void> {
    if (!this.#isInTransaction) return
    this.#isInTransaction = false
    // Without a connection, the database has undone it.
    await this.#database.run('ROLLBACK').catch(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discard()
    await this.#database[Symbol.asyncDispose]()
  }

  get #bound() {
    return { run: this.#database.run.bind(this.#database) }
  }

  async #begin(): Promise<void> {
    if (this.#isInTransaction) return
    await this.#database.run(this.#database.begin)
    this.#isInTransaction = true
  }

  async #commit(): Promise<void> {
    await this.#database.run('COMMIT')
    this.#isInTransaction = false
  }

  async #readState(): Promise<Row | undefined> {
    if (!(await this.#database.hasTable(STATES))) return undefined
    const rows = await this.#database.run(`SELECT * FROM ${STATES} WHERE name = ?`, [this.#table])
    return rows[0]
  }

  async #note(assignments: string, value: string | null): Promise<void> {
    const rows = await this.#database.run(
      `UPDATE ${STATES} SET ${assignments}, position = position + 1
       WHERE name = ? AND position = ? RETURNING position`,
      [value, this.#table, this.#position],
    )
    if (rows.length === 0) {
      throw new Error(`${this.name} was changed by another mirror. Run one for each table.`)
    }
    this.#position += 1
  }
}

const CREATE_STATES = `CREATE TABLE IF NOT EXISTS ${STATES} (
  name text PRIMARY KEY,
  source text NOT NULL,
  rid text NOT NULL,
  definition text,
  copied_definition text,
  page_token text,
  changes_token text,
  position integer NOT NULL
)`

const NO_LAYOUT: MirrorLayout = {
  columns: [],
  key: { name: '', sqlType: '', read: () => null },
}
