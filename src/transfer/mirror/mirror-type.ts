/** Keeps a copy of the objects of a type: copies a snapshot, then applies every change once. */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { FlatRecord, ObjectChange, TypePath } from '../../client/endpoints/pages.ts'
import { clientError, tokenRefusal } from '../../client/oqs-error.ts'
import type { FollowedPage } from '../../client/query/follow-changes.ts'
import { followType } from '../../client/query/object-set-query.ts'
import { realPause } from '../../client/retry.ts'
import { countOf } from '../../contract/count-of.ts'
import { TargetLost } from './mirror-database.ts'
import { type MirroredType, propertiesOf, readMirroredType } from './mirrored-type.ts'
import type { MirrorTarget } from './open-target.ts'
import type { ObjectChanges } from './table-target.ts'

export interface MirrorOptions {
  /** Ends when the target has caught up. */
  readonly once: boolean
  /** Overwrites a target that is not a mirror of this type. */
  readonly replace: boolean
  readonly signal: AbortSignal
  /** Called with what happened, in one line. */
  readonly onEvent: (line: string) => void
  /** Called while objects are copied. */
  readonly onProgress: (copied: { readonly objects: number }) => void
}

/** Large pages: each is a request, and a transaction. */
const PAGE_SIZE = 10_000

const REDEFINED = 'its definition has changed'

/** Why a pass over the changes ended. */
type Ending = 'done' | 'copy again'

export async function mirrorType(
  client: Endpoints,
  type: TypePath,
  target: MirrorTarget,
  options: MirrorOptions,
): Promise<void> {
  const { signal } = options
  const retryPolicy = client.connection.createRetryPolicy(signal)
  const mirror = new Mirror(client, type, target, options, () => retryPolicy.reset())
  for (;;) {
    try {
      if ((await mirror.run()) === 'done') return
    } catch (error) {
      await target.discard()
      signal.throwIfAborted()
      if (!(error instanceof TargetLost)) throw explained(error, target)
      const failure = { isRetryable: true, cause: error }
      await retryPolicy.wait(clientError('Client:ConnectionLost', error.message, failure))
    }
  }
}

/** Adds the file to an error of SQLite, and to one of the table what to do about it. */
function explained(error: unknown, { name }: MirrorTarget): unknown {
  const { code, message, errcode = 0, cause } = error as DatabaseError
  const isOfSqlite = code === 'ERR_SQLITE_ERROR'
  const isOfTable = isOfSqlite
    ? SQLITE_TABLE_ERRORS.includes(errcode & 0xff)
    : POSTGRES_TABLE_ERROR.test(cause?.code ?? '')
  if (!isOfSqlite && !isOfTable) return error
  const text = isOfSqlite ? `cannot write ${name}: ${message}` : message
  return new Error(isOfTable ? `${text}. ${CHANGED_TABLE}` : text, { cause: error })
}

interface DatabaseError extends Error {
  readonly code?: string
  readonly errcode?: number
  readonly cause?: { readonly code?: string }
}

/** A column or table that is missing or has another type, and a violated constraint. */
const SQLITE_TABLE_ERRORS = [1, 19]
const POSTGRES_TABLE_ERROR = /^(?:23|42(?!501))/
const CHANGED_TABLE =
  'If another program has changed the table, drop it and run the command again, which copies the type again.'

class Mirror {
  readonly #client: Endpoints
  readonly #type: TypePath
  readonly #target: MirrorTarget
  readonly #options: MirrorOptions
  readonly #onCommit: () => void
  /** Whether a new copy must be made although the state says how to go on. */
  #mustCopy = false
  /** Whether the target has been committed to since the last new copy began. */
  #hasProgress = true

  constructor(
    client: Endpoints,
    type: TypePath,
    target: MirrorTarget,
    options: MirrorOptions,
    onCommit: () => void,
  ) {
    this.#client = client
    this.#type = type
    this.#target = target
    this.#options = options
    this.#onCommit = onCommit
  }

  /** Goes on from the state of the target until the end, or until a new copy is needed. */
  async run(): Promise<Ending> {
    const { once, replace, signal, onEvent } = this.#options
    const type = await readMirroredType(this.#client, this.#type, { signal })
    const state = await this.#target.open(type, { replace })
    if (state?.isOutdated && !this.#mustCopy) onEvent(`copying again: ${REDEFINED}`)
    const since = this.#mustCopy ? undefined : state?.changesToken
    const pageToken = this.#mustCopy ? undefined : state?.pageToken
    if (since !== undefined || pageToken !== undefined) this.#target.use(type)
    else await this.#startCopy(type)
    if (pageToken !== undefined) onEvent(`continuing to copy ${type.source}`)
    if (since !== undefined) onEvent(`following ${type.source}`)
    const query = { pageSize: PAGE_SIZE, signal }
    const pages = followType(this.#client, this.#type, query, {
      since,
      pageToken,
      wait: once ? 0 : undefined,
    })
    try {
      return await this.#store(type, pages)
    } catch (error) {
      const reason = tokenRefusal(error)
      // A token that is refused at once would be refused forever.
      if (reason === undefined || !this.#hasProgress) throw error
      return this.#copyAgain(`its token is no longer valid (${reason})`)
    }
  }

  async #startCopy(type: MirroredType): Promise<void> {
    this.#options.onEvent(`copying ${type.source} to ${this.#target.name}`)
    await this.#target.startCopy(type)
    this.#mustCopy = false
    this.#hasProgress = false
  }

  async #store(
    type: MirroredType,
    pages: AsyncIterable<FollowedPage<FlatRecord>>,
  ): Promise<Ending> {
    const { signal, onEvent, onProgress } = this.#options
    let copied = 0
    for await (const page of pages) {
      const { isSnapshot, nextPageToken, nextChangesToken } = page
      const changes = changesOf(type, page.changes)
      if (isSnapshot) await this.#target.copy(changes.puts, nextPageToken)
      else if (page.changes.length > 0) await this.#target.apply(changes)
      if (isSnapshot) {
        copied += page.changes.length
        onProgress({ objects: copied })
      }
      if (nextChangesToken === undefined) {
        if (isSnapshot) this.#committed()
        continue
      }
      // Read after the objects, so that they are not of a later definition.
      const { definition } = await readMirroredType(this.#client, this.#type, { signal })
      if (definition !== type.definition) return this.#copyAgain(REDEFINED)
      if (isSnapshot) {
        await this.#target.publish(nextChangesToken)
        onEvent(`copied ${countOf(copied, 'object')}; following ${type.source}`)
      } else await this.#target.advance(nextChangesToken)
      this.#committed()
      const pauseMs = await this.#target.caughtUp()
      if (pauseMs > 0 && !this.#options.once) await realPause(pauseMs, signal)
    }
    return 'done'
  }

  async #copyAgain(reason: string): Promise<Ending> {
    await this.#target.discard()
    this.#options.onEvent(`copying again: ${reason}`)
    this.#mustCopy = true
    return 'copy again'
  }

  #committed(): void {
    this.#hasProgress = true
    this.#onCommit()
  }
}

function changesOf(
  { primaryKey }: MirroredType,
  changes: readonly ObjectChange<FlatRecord>[],
): ObjectChanges {
  return {
    puts: changes.flatMap((change) => ('put' in change ? [propertiesOf(change.put)] : [])),
    deletes: changes.flatMap((change) =>
      'put' in change ? [] : [{ [primaryKey]: change.delete.primaryKey }],
    ),
  }
}
