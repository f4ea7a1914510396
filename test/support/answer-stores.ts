/**
 * A store with columns, which random questions compare with the same store without them, and what
 * happens to both of them: restarts, kills, damaged files, copies and restored backups.
 */
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { openStore } from '../../src/server/open-store.ts'
import { withColumns } from '../../src/store/columns/column-objects.ts'
import { ColumnsClient } from '../../src/store/columns/columns-client.ts'
import { ColumnsProcess } from '../../src/store/columns/columns-process.ts'
import type { ObjectStore, PublishedColumns } from '../../src/store/object-store.ts'
import { sqlitePath } from '../../src/store/store-name.ts'
import { type ColumnStore, openColumnStore, overriding } from './column-store.ts'
import { createDatabase } from './postgres.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'
import { createTestStore, type TestStore } from './test-store.ts'

/** A store with its columns, as `ColumnStore` has them. */
interface OpenStore extends AsyncDisposable, Pick<ColumnStore, 'store' | 'database'> {
  /** How many questions were answered from columns. */
  answered(): number
  /** Takes over columns that were built during a load. */
  adopt(published: PublishedColumns): Promise<unknown>
  /** Kills the process with the columns, if it is one, and starts another. */
  kill(): Promise<void>
}

/** Columns of few objects have several segments, too. */
export const SEGMENT_ROWS = 3
/** Enough for what one question needs, or two, so that its columns are evicted by the next one. */
const LITTLE_BYTES = 12_000

async function openInThread(name: string, folder: string, maxBytes: number): Promise<OpenStore> {
  const columns = await openColumnStore(name, { folder, maxBytes, segmentRows: SEGMENT_ROWS })
  return {
    store: columns.store,
    database: columns.database,
    answered: () => columns.outcomes.get('answered') ?? 0,
    adopt: (published) => columns.adopt(published),
    kill: async () => {},
    [Symbol.asyncDispose]: () => columns[Symbol.asyncDispose](),
  }
}

/** The longest that a question may wait for an answer. */
const TIMEOUT_MS = 60_000

async function openInProcess(name: string, folder: string, maxBytes: number): Promise<OpenStore> {
  await using parts = new AsyncDisposableStack()
  const database = parts.use(await openStore(name))
  const socket = parts.use(tempFolder())
  const address = join(socket.path, 'socket')
  const options = {
    ...{ storeName: name, folder, maxBytes, segmentRows: SEGMENT_ROWS },
    ...{ minObjects: 0, maxLagMs: 0, threads: 1 },
  }
  const start = () => new ColumnsProcess({ ...options, address, awaitsBuilds: true }, () => {})
  let columns = start()
  parts.defer(() => columns[Symbol.asyncDispose]())
  const client = parts.use(new ColumnsClient(address, { maxBytes, awaitsAnswers: true }))
  let answered = 0
  const ask: ColumnsClient['ask'] = async (...of) => {
    const answer = await client.ask(...of)
    if (answer !== undefined) answered += 1
    return answer
  }
  const opened = parts.move()
  return {
    store: overriding(database, withColumns(database, { ask }, TIMEOUT_MS)),
    database,
    answered: () => answered,
    adopt: (published) => client.adopt(published),
    kill: async () => {
      await columns[Symbol.asyncDispose]()
      columns = start()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Each is done to one file after the other. */
const DAMAGES: readonly ((path: string, others: readonly string[]) => void)[] = [
  (path) => truncateSync(path, Math.floor(readFileSync(path).length / 2)),
  (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(8)])),
  (path) => rmSync(path),
  (path, others) => copyFileSync(others.at(-1) ?? path, path),
  (path) => copyFileSync(path, `${path}-copy`),
  (path) => {
    const bytes = readFileSync(path)
    const at = Math.floor(bytes.length * 0.7)
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    writeFileSync(path, bytes)
  },
]

export class AnswerStores implements AsyncDisposable {
  readonly #open: (name: string, folder: string) => Promise<OpenStore>
  readonly #folder: TempFolder
  #place: TestStore
  #opened: OpenStore
  #earlier = 0
  #damages = 0

  private constructor(
    open: (name: string, folder: string) => Promise<OpenStore>,
    place: TestStore,
    folder: TempFolder,
    opened: OpenStore,
  ) {
    this.#open = open
    this.#place = place
    this.#folder = folder
    this.#opened = opened
  }

  /** With little memory, columns are evicted and read again all the time. */
  static async create(
    columns: 'thread' | 'process',
    memory: 'enough' | 'little',
  ): Promise<AnswerStores> {
    const openWith = columns === 'thread' ? openInThread : openInProcess
    const maxBytes = memory === 'enough' ? 1e9 : LITTLE_BYTES
    const open = (name: string, path: string) => openWith(name, path, maxBytes)
    const [place, folder] = [await createTestStore(), tempFolder()]
    return new AnswerStores(open, place, folder, await open(place.name, folder.path))
  }

  get store(): ObjectStore {
    return this.#opened.store
  }

  get database(): ObjectStore {
    return this.#opened.database
  }

  /** How many questions were answered from columns. */
  get answered(): number {
    return this.#earlier + this.#opened.answered()
  }

  /** Where columns are kept. */
  get folder(): string {
    return this.#folder.path
  }

  async adopt(published: PublishedColumns): Promise<void> {
    await this.#opened.adopt(published)
  }

  kill(): Promise<void> {
    return this.#opened.kill()
  }

  /** Starts again after something was done to the files. */
  async restart(meanwhile = async () => {}): Promise<void> {
    this.#earlier = this.answered
    await this.#opened[Symbol.asyncDispose]()
    await meanwhile()
    this.#opened = await this.#open(this.#place.name, this.#folder.path)
  }

  /** Starts again with damaged files of columns. */
  damage(): Promise<void> {
    return this.restart(async () => {
      const { path: folder } = this.#folder
      const paths = readdirSync(folder).map((name) => join(folder, name))
      for (const path of paths) {
        DAMAGES[this.#damages % DAMAGES.length]?.(path, paths)
        this.#damages += 1
      }
    })
  }

  /** Copies the database, which nothing may use meanwhile. */
  async backUp(): Promise<TestStore> {
    let copy: TestStore | undefined
    await this.restart(async () => {
      copy = await copyOf(this.#place)
    })
    return copy as TestStore
  }

  /** Starts again with a copy of the database, and the files of the columns of the present one. */
  restore(copy: TestStore): Promise<void> {
    return this.restart(async () => {
      await this.#place[Symbol.asyncDispose]()
      this.#place = copy
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened[Symbol.asyncDispose]()
    await this.#place[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}

async function copyOf({ name }: TestStore): Promise<TestStore> {
  const path = sqlitePath(name)
  if (path !== undefined) {
    const copy = await createTestStore()
    copyFileSync(path, sqlitePath(copy.name) ?? '')
    return copy
  }
  const database = await createDatabase(inject('postgresUrl'), new URL(name).pathname.slice(1))
  return {
    name: database.url,
    dropData: () => database.drop(),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
