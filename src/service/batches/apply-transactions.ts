/** Applies transactions of a source, each as one commit over all the types that it changes. */
import type { Readable } from 'node:stream'
import type { AccessServices } from '../../access/access-services.ts'
import { viewOf } from '../../access/authenticate.ts'
import type { Caller } from '../../access/caller-rights.ts'
import { resolveOntology, resolveWrittenPath } from '../../access/find-visible.ts'
import type { AppliedTransactions } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { creationBy } from '../writes/creation.ts'
import { MEMORY_PER_BYTE, MEMORY_PER_CHANGE } from './read-batch.ts'
import { TransactionReader } from './transaction-reader.ts'

export interface TransactionsSpec {
  readonly ontology: string
  /** A name of the source, which the caller has chosen. */
  readonly source: string
  readonly caller: Caller
  readonly context: ServiceContext
  readonly body: Readable
}

/** The bytes that are parsed in one turn. */
const TURN_BYTES = 8 * 1024

export async function applyTransactions(
  spec: TransactionsSpec,
  services: ServiceParts & AccessServices,
): Promise<AppliedTransactions> {
  const { ontology, source, caller, context } = spec
  // Read again, because the request may have waited for its turn.
  const catalogue = await services.store.readCatalogue({ named: [spec] })
  const viewer = await viewOf(spec, { caller, catalogue }, services)
  const { rid: ontologyRid } = resolveOntology(viewer.catalogue, caller, ontology)
  const reader = new TransactionReader(
    (objectType) => resolveWrittenPath(viewer, { ontology, objectType }).objectType,
    creationBy(caller, services),
  )
  using memory = services.memory.reserve(context.callerId, 0)
  // The stream must survive an error, so that the client can read the response.
  const chunks: AsyncIterable<Buffer> = spec.body.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    memory.grow(chunk.length * MEMORY_PER_BYTE)
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      await services.admission.takeTurn(context.callerId)
      const changes = reader.take(chunk.subarray(at, at + TURN_BYTES))
      memory.grow(changes * MEMORY_PER_CHANGE)
    }
  }
  reader.end()
  const { transactions } = reader
  const basedOn = viewer.catalogue.generation
  // Awaited here, so that the memory is held until everything is written.
  return await services.objects.applyTransactions(
    { ontologyRid, source, basedOn, transactions },
    context,
  )
}
