/** A store whose pages and aggregations come from columns, whatever the number of objects. */
import { openStore } from '../../src/server/open-store.ts'
import { withColumns } from '../../src/store/columns/column-objects.ts'
import { Dispatcher } from '../../src/store/columns/process/dispatcher.ts'
import {
  errorOf,
  type Question,
  type Unavailable,
} from '../../src/store/columns/process/messages.ts'
import type { ColumnsStatus, ObjectStore, PublishedColumns } from '../../src/store/object-store.ts'
import { openColumnFeed } from '../../src/store/open-column-feed.ts'
import { tempFolder } from './temp-folder.ts'

export interface ColumnStore extends AsyncDisposable {
  readonly store: ObjectStore
  /** The same store without columns. */
  readonly database: ObjectStore
  status(): ColumnsStatus
  /** Builds the columns of types, before anybody asks for them. */
  prepare(rids: readonly string[]): Promise<void>
  /** Takes over columns that were built during a load, and returns whether they can be used. */
  adopt(published: PublishedColumns): Promise<boolean>
  /** How many questions were answered from columns, and why others were not. */
  readonly outcomes: Map<'answered' | Unavailable['reason'], number>
}

export interface ColumnStoreOptions {
  /** Called with each answer, before the database supplies the records of a page. */
  readonly onAnswered?: (kind: Question['kind']) => Promise<void>
  readonly maxBytes?: number
  readonly segmentRows?: number
  readonly threads?: number
  /**
   * Called with what made a build fail; otherwise, the next question is rejected with it, unless it is
   * that a file was damaged.
   */
  readonly onFailure?: (reason: unknown) => void
  /** Where columns are kept; a new folder by default. */
  readonly folder?: string
}

export async function openColumnStore(
  name: string,
  { onAnswered = async () => {}, onFailure, folder, ...options }: ColumnStoreOptions = {},
): Promise<ColumnStore> {
  await using parts = new AsyncDisposableStack()
  const store = parts.use(await openStore(name))
  const failures: unknown[] = []
  const outcomes: ColumnStore['outcomes'] = new Map()
  const dispatcher = parts.use(
    new Dispatcher(await openColumnFeed(name), {
      storeName: name,
      folder: folder ?? parts.use(tempFolder()).path,
      maxBytes: 1e9,
      threads: 1,
      ...options,
      minObjects: 0,
      awaitsBuilds: true,
      maxLagMs: 0,
      onFailure:
        onFailure ?? ((error) => String(error).includes(' is damaged: ') || failures.push(error)),
    }),
  )
  const objects = withColumns(
    store,
    {
      ask: async (question, _, { callerId, signal }) => {
        const computed = await dispatcher.answer(question, callerId, signal)
        if (failures.length > 0) throw failures[0]
        if ('refused' in computed) throw errorOf(computed.refused)
        const outcome = 'answer' in computed ? 'answered' : computed.unavailable.reason
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        if (!('answer' in computed)) return undefined
        await onAnswered(question.kind)
        return computed.answer
      },
    },
    60_000,
  )
  await dispatcher.prepare(await dispatcher.findFiles())
  const opened = parts.move()
  // Columns that are asked for after each commit have a base of the first, and added rows.
  const commit: ObjectStore['commit'] = async (batch, context) => {
    const committed = await store.commit(batch, context)
    await dispatcher.prepare([batch.objectType.rid])
    return committed
  }
  return {
    store: overriding(store, { ...objects, commit }),
    database: store,
    outcomes,
    status: () => dispatcher.status(),
    prepare: (rids) => dispatcher.prepare(rids),
    adopt: (published) => dispatcher.adopt(published),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Returns a store with other methods instead of some of its own. */
export function overriding(store: ObjectStore, others: Partial<ObjectStore>): ObjectStore {
  return new Proxy(store, {
    get: (target, name) => {
      const of = name in others ? others : target
      const value: unknown = Reflect.get(of, name, of)
      return typeof value === 'function' ? value.bind(of) : value
    },
  })
}
