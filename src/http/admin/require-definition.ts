import { viewOf } from '../../access/authenticate.ts'
import type { Viewer } from '../../access/resolve.ts'
import {
  isConditional,
  type Preconditions,
  requirePreconditions,
} from '../request/preconditions.ts'
import { etagOfBytes } from '../response/send-data.ts'
import type { Services } from '../services.ts'

/**
 * Throws `PreconditionFailed` if the preconditions of a request do not hold for the definition of an
 * ontology. Its tag is that of `getOntologyDefinition`, which shows what the caller may see. The write
 * must be based on the generation of `catalogue`: it then fails if the definition has changed since.
 */
export async function requireDefinition(
  preconditions: Preconditions,
  identifier: string,
  viewer: Viewer,
  services: Pick<Services, 'store' | 'views'>,
): Promise<void> {
  if (!isConditional(preconditions)) return
  const { catalogue } = await viewOf({ ontology: identifier }, viewer, services)
  const definition = catalogue.find(identifier)?.definition
  const readTags = definition && (() => [etagOfBytes(JSON.stringify(definition))])
  requirePreconditions(preconditions, readTags, { ontology: identifier })
}
