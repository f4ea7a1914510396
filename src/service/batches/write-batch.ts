/** Writes one atomic batch of objects. */
import type { AccessServices } from '../../access/access-services.ts'
import { viewOf } from '../../access/authenticate.ts'
import type { Caller } from '../../access/caller-rights.ts'
import { resolveWrittenPath } from '../../access/find-visible.ts'
import { invalidArgument } from '../../contract/errors.ts'
import type { Commit, IdempotencyKey } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import { creationBy } from '../writes/creation.ts'
import type { BatchParsers } from './batch-parsers.ts'
import { mergeBatch } from './merge-batch.ts'
import { type BatchBody, readBatch } from './read-batch.ts'

export interface BatchSpec extends Pick<BatchBody, 'body' | 'context' | 'digest'> {
  readonly ontology: string
  readonly objectType: string
  readonly caller: Caller
  /** What happens to existing objects: `upsert`, the default, replaces them. */
  readonly mode?: 'append' | 'upsert' | 'merge'
  readonly dryRun?: boolean
  readonly replacement?: string
  readonly idempotencyKey: IdempotencyKey | undefined
}

type BatchServices = ServiceParts & AccessServices & { readonly batchParsers: BatchParsers }

export async function writeBatch(spec: BatchSpec, services: BatchServices): Promise<Commit> {
  const { mode = 'upsert', dryRun = false, replacement, context } = spec
  // Read again, because the batch may have waited for its turn.
  const catalogue = await services.store.readCatalogue({ named: [spec] })
  const viewer = await viewOf(spec, { caller: spec.caller, catalogue }, services)
  const { objectType } = resolveWrittenPath(viewer, spec)
  using memory = services.memory.reserve(context.callerId, 0)
  const creation = creationBy(spec.caller, services)
  if (mode === 'merge') {
    if (replacement !== undefined) {
      throw invalidArgument('mode', 'is merge, which a replacement has no objects for')
    }
    const basedOn = viewer.catalogue.generation
    return await mergeBatch(
      {
        ...spec,
        idempotencyKey: dryRun ? undefined : spec.idempotencyKey,
        objectType,
        basedOn,
        memory,
        creation,
        dryRun,
      },
      services,
    )
  }
  const load =
    replacement === undefined || dryRun ? undefined : services.batchParsers.beginLoad(replacement)
  const changes = readBatch({ ...spec, objectType, memory, creation, dryRun, load }, services)
  if (dryRun) for await (const _ of changes);
  const batch = {
    objectType,
    changes: dryRun ? [] : changes,
    basedOn: viewer.catalogue.generation,
    replacement,
    keepsExisting: mode === 'append',
    // A dry run changes nothing, so it can be repeated anyway.
    idempotencyKey: dryRun ? undefined : spec.idempotencyKey,
  }
  let isCommitted = false
  try {
    // Awaited here, so that the memory is held until the batch is written.
    const commit = await services.objects.commit(batch, context)
    isCommitted = commit.isRepeated !== true
    return commit
  } finally {
    load?.end(isCommitted)
  }
}
