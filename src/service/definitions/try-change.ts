import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { Definitions } from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'
import { type ChangePlan, describeChange, describeTrial } from './change-plan.ts'

/** Plans a change, including why it would be refused. */
export async function tryChange(
  change: OntologyChange,
  context: RequestContext,
  store: Definitions,
): Promise<ChangePlan> {
  const states = await store.readTypeStates(change.ontology.rid)
  try {
    const outcome = await store.saveOntology(change, context)
    const tried = await store.definitionChanges.tryObjects(change, context)
    const plan = describeTrial(describeChange(change, states, []), tried)
    return outcome === 'started' ? { ...plan, background: true } : plan
  } catch (error) {
    const isRefused =
      error instanceof ObjectQueryError && error.errorName === 'OntologyChangeRefused'
    if (!isRefused) throw error
    return describeChange(change, states, error.parameters['reasons'] as readonly string[])
  }
}
