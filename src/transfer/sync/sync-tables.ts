/**
 * Keeps object types equal to tables of PostgreSQL: copies the tables, then follows them by logical
 * replication. Lost connections to either side are retried. Every attempt starts from what the source
 * and the service say, so a process that is started again needs no state of its own.
 */
import type { DefinitionChange } from '../../client/endpoints/definition-change.ts'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { realPause } from '../../client/retry.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { isTemporary, isUnreachable } from './connect-source.ts'
import { copyTables } from './copy-tables.ts'
import { TableChanged } from './followed-tables.ts'
import { Follower, type FollowerState } from './follower.ts'
import { type PreparedSync, prepareSync, recordCopies, recordRefusal } from './prepare-sync.ts'
import { RefusedRows, RowRefused } from './refused-rows.ts'
import { SyncReporter } from './sync-reporter.ts'
import type { Misfit, SyncRequest } from './sync-request.ts'
import type { TableMapping } from './table-mapping.ts'
import { TypeOwners } from './type-owners.ts'
import { UnfitValues } from './unfit-values.ts'
import { watchTables } from './watch-tables.ts'

export interface SyncEvents {
  /** Called once with each text. */
  readonly onNote: (text: string) => void
  /** Called again and again while the service converts objects for a changed definition. */
  readonly onChanging: (change: DefinitionChange) => void
  readonly onCopying: (mapping: TableMapping, objects: number) => void
  readonly onCopied: (objects: number, mappings: readonly TableMapping[]) => void
  readonly onProgress: (state: FollowerState) => void
  readonly onCaughtUp: (slot: string, state: FollowerState) => void
  readonly onRetry: (error: Error, pauseMs: number) => void
}

export interface SyncOptions extends SyncRequest {
  /** Returns when everything is written that was committed in the source at the start. */
  readonly once: boolean
  /** Ends the sync after the commit in progress. */
  readonly signal: AbortSignal
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/** Returns how far the sync has come: when it is caught up, if `once` is set, or aborted. */
export async function syncTables(
  endpoints: Endpoints,
  options: SyncOptions,
  given: SyncEvents,
): Promise<FollowerState> {
  const noted = new Set<string>()
  const onNote = (text: string) => {
    // Every attempt finds the same.
    if (!noted.has(text)) given.onNote(text)
    noted.add(text)
  }
  const unfit = new UnfitValues(onNote)
  const events: SyncEvents = {
    ...given,
    onNote,
    onCaughtUp: (...caughtUp) => {
      reporter.report('following')
      given.onCaughtUp(...caughtUp)
    },
  }
  const follower = new Follower(endpoints, { ...options, unfit, events })
  const readLagMs = () => follower.state.lagMs
  const reporter = new SyncReporter(endpoints, { ...options, onNote, readLagMs })
  try {
    await copyAndFollow(endpoints, options, { events, unfit, follower, reporter })
    reporter.report('ended')
    return follower.state
  } catch (error) {
    reporter.report('failed', (error as Error).message)
    throw error
  } finally {
    await reporter.end()
  }
}

interface SyncParts {
  readonly events: SyncEvents
  readonly unfit: UnfitValues
  readonly follower: Follower
  readonly reporter: SyncReporter
}

async function copyAndFollow(
  endpoints: Endpoints,
  options: SyncOptions,
  { events, unfit, follower, reporter }: SyncParts,
): Promise<void> {
  const { signal } = options
  const { onNote, onChanging } = events
  const onOwner = (owner: string) => reporter.setOwner(owner)
  const owners = new TypeOwners(endpoints, options.ontology)
  let restart = options.restart
  let failures = 0
  let hasAnswered = false
  let misfit: Misfit | undefined
  /** The last transactions whose changes did not fit their tables, by the OIDs of these. */
  const misfits = new Map<number, bigint | undefined>()
  const refused = new RefusedRows()
  let definition: OntologyDefinition | undefined
  /** The name of the publication, once it was created for a copy that is not complete. */
  let unused: string | undefined
  while (!signal.aborted) {
    const { position } = follower.state
    try {
      const isFollowing = follower.hasStarted
      const known = { isFollowing, misfit, refused, owners }
      const request = { ...options, ...known, restart, onOwner, onNote, onChanging }
      const prepared = await prepareSync(endpoints, request)
      definition = prepared.definition
      hasAnswered = true
      misfit = undefined
      const { slot, start, toCopy } = prepared
      const mustCopy = start === undefined || toCopy.length > 0
      reporter.setTables(prepared)
      reporter.report(mustCopy ? 'copying' : 'following')
      if (mustCopy) {
        if (start === undefined) unused = slot
        await copyPrepared(endpoints, options, prepared, { events, unfit, refused })
        restart = false
        unused = undefined
        continue
      }
      const changed = watchTables(endpoints, options, prepared, owners)
      // A sync that ends by itself has looked at its start.
      const ended = options.once ? signal : AbortSignal.any([signal, changed.signal])
      try {
        await follower.follow(prepared, start, ended)
      } finally {
        changed.stop()
      }
      if (!ended.aborted || signal.aborted) return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof TableChanged) {
        const { oid, commitLsn } = error
        misfit = { oid, isRepeated: misfits.has(oid) && misfits.get(oid) === commitLsn }
        misfits.set(oid, commitLsn)
        continue
      }
      if (error instanceof RowRefused && follower.hasStarted && definition !== undefined) {
        refused.add(error, definition)
        continue
      }
      // A source that has never answered is more likely a wrong address.
      if (!isTemporary(error) || (!hasAnswered && isUnreachable(error))) {
        if (unused !== undefined) onNote(describeUnused(unused))
        throw error
      }
      failures = follower.state.position > position ? 0 : failures + 1
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
      const problem = explain(error as Error)
      reporter.report('waiting', problem.message)
      events.onRetry(problem, pauseMs)
      await realPause(pauseMs, signal).catch(() => {})
    }
  }
}

/** Copies the tables that must be copied before they can be followed. */
async function copyPrepared(
  endpoints: Endpoints,
  options: SyncOptions,
  { slot, start, toCopy, definition }: PreparedSync,
  { events, unfit, refused }: Pick<SyncParts, 'events' | 'unfit'> & { refused: RefusedRows },
): Promise<void> {
  const { url } = options
  const { objects, mappings, position } = await copyTables(endpoints, {
    ...options,
    slot: start ? undefined : slot,
    mappings: toCopy,
    unfit,
    onProgress: events.onCopying,
    async onRefused(error) {
      refused.add(error, definition)
      // Before a first copy, the source has no record that the table must be copied.
      if (start === undefined) await recordRefusal(url, slot, error.mapping)
    },
  })
  if (start !== undefined) await recordCopies(url, slot, mappings, position)
  if (mappings.length > 0) events.onCopied(objects, mappings)
}

function describeUnused(publication: string): string {
  return `the publication ${publication} stays in the source, for the next run of this command; if there is none, remove it with --drop-slot, or with DROP PUBLICATION ${publication}`
}

const OBJECT_IN_USE = '55006'

function explain(error: Error & { readonly code?: string }): Error {
  if (error.code !== OBJECT_IN_USE) return error
  return new Error(
    `${error.message}: another oqs sync uses it. Stop that one, or pass another name with --slot`,
  )
}
