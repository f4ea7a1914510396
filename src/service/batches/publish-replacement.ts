/** Publishes a replacement, with the columns that were built while it was loaded. */
import type { ObjectType } from '../../ontology/ontology.ts'
import type {
  Commit,
  LoadedColumns,
  PublishedColumns,
  PublishMode,
} from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { BatchParsers } from './batch-parsers.ts'

export interface PublicationSpec {
  readonly objectType: ObjectType
  readonly replacement: string
  readonly mode: PublishMode | undefined
  readonly context: ServiceContext
  readonly onIndexed: (indexes: number) => void
}

export interface PublicationServices extends Pick<ServiceParts, 'objects'> {
  readonly batchParsers: Pick<BatchParsers, 'finishLoad'>
  /** Undefined if columns are turned off. */
  readonly columns:
    | {
        adopt(published: PublishedColumns): Promise<void>
        discard(loaded: LoadedColumns): Promise<void>
      }
    | undefined
}

export async function publishReplacement(
  { objectType, replacement, mode, context, onIndexed }: PublicationSpec,
  { objects, batchParsers, columns }: PublicationServices,
): Promise<Commit> {
  // A thread completes the columns while the database builds its indexes.
  const loading = batchParsers.finishLoad(replacement)
  const publishing = objects.publishReplacement(objectType, replacement, mode, context, onIndexed)
  const commit = await publishing.catch(async (error: unknown) => {
    const unpublished = await loading
    if (unpublished !== undefined) await columns?.discard(unpublished)
    throw error
  })
  const loaded = await loading
  if (loaded !== undefined) {
    const { rid: typeRid } = objectType
    await columns?.adopt({ ...loaded, typeRid, replacement, version: commit.version })
  }
  return commit
}
