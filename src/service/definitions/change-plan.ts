/** Changes of definitions: their plans, as dry runs return them, and those that run in the background. */
import { isDeepStrictEqual } from 'node:util'
import type { ChangePlan, ChangeResponse } from '../../contract/definition-change.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type {
  DefinitionChange,
  Definitions,
  TriedObjects,
  TypeState,
} from '../../store/object-store.ts'
import type { RequestContext } from '../../store/port/request-context.ts'

function describeChange(
  { types, links }: Pick<OntologyChange, 'types' | 'links'>,
  states: readonly TypeState[],
  refused: readonly string[],
): Omit<ChangePlan, 'pending'> {
  const counts = new Map(states.map(({ typeRid, count }) => [typeRid, count]))
  let rewrittenObjects = 0
  const ofTypes = types.flatMap(({ typeRid, objectType, changes }) => {
    const count = counts.get(typeRid) ?? 0
    if (changes.some(({ rewrites }) => rewrites)) rewrittenObjects += count
    return changes.map(({ rewrites, ...change }) => {
      const isDropped = change.kind === 'dropped'
      return { ...change, objectType, objects: rewrites || isDropped ? count : 0 }
    })
  })
  const ofLinks = links.map((link) => ({ ...link, objects: 0 }))
  return { changes: [...ofTypes, ...ofLinks], rewrittenObjects, refused: [...refused] }
}

/** Adds what the trial of the stored objects has found. */
function describeTrial(plan: ChangePlan, found: TriedObjects): ChangePlan {
  const { tried, unfit, unfitObjects, untried } = found
  return {
    ...plan,
    refused: [...plan.refused, ...refusalsOf(found)],
    ...(tried > 0 ? { triedObjects: tried } : {}),
    ...(unfit > 0 ? { unfitCount: unfit, unfitObjects: [...unfitObjects] } : {}),
    ...(untried.length > 0 ? { untried: [...untried] } : {}),
  }
}

function refusalsOf({ tried, unfit, unfitObjects }: TriedObjects): string[] {
  const reasons = unfitObjects.map(({ objectType, primaryKey, property, reason }) => {
    const value = property === undefined ? '' : ` ${property}`
    return `object ${primaryKey} of ${objectType}:${value} ${reason}`
  })
  const isWhole = unfit === unfitObjects.length
  return isWhole ? reasons : [...reasons, `${unfit} of ${tried} objects do not fit in all`]
}

/** Plans a change, including why it would be refused. */
export async function tryChange(
  change: OntologyChange,
  current: Ontology | undefined,
  context: RequestContext,
  store: Definitions,
): Promise<ChangePlan> {
  const states = await store.readTypeStates(change.ontology.rid)
  const pending = !isDeepStrictEqual(change.ontology.definition, current?.definition)
  try {
    const outcome = await store.saveOntology(change, context)
    const tried = await store.definitionChanges.tryObjects(change, context)
    const plan = describeTrial({ pending, ...describeChange(change, states, []) }, tried)
    return outcome === 'started' ? { ...plan, background: true } : plan
  } catch (error) {
    const isRefused =
      error instanceof ObjectQueryError && error.errorName === 'OntologyChangeRefused'
    if (!isRefused) throw error
    const reasons = error.parameters['reasons'] as readonly string[]
    return { pending, ...describeChange(change, states, reasons) }
  }
}

/** Returns the last change of an ontology, or throws `OntologyChangeNotFound`. */
export async function describeLastChange(
  store: Definitions,
  { rid, apiName }: Pick<Ontology, 'rid' | 'apiName'>,
): Promise<ChangeResponse> {
  const change = await store.definitionChanges.find(rid)
  if (change === undefined) throw changeNotFound(apiName)
  const states = await store.readTypeStates(rid)
  const { changes } = describeChange(change, states, [])
  return { ontologyRid: rid, ...toResponse(change), changes }
}

function toResponse(change: DefinitionChange): Omit<ChangeResponse, 'ontologyRid' | 'changes'> {
  const { id, state, startedAtMs, types, rewrites, loadingObjects, reasons, unfitObjects } = change
  const names = new Map(types.map(({ typeRid, objectType }) => [typeRid, objectType]))
  return {
    id,
    state,
    startedAt: new Date(startedAtMs).toISOString(),
    objectTypes: rewrites.map(({ typeRid, phase, objects, totalObjects }) => ({
      objectType: names.get(typeRid) ?? typeRid,
      phase,
      objects,
      totalObjects,
    })),
    ...(loadingObjects > 0 ? { loadingObjects } : {}),
    reasons: [...reasons],
    unfitObjects: [...unfitObjects],
  }
}

export function changeNotFound(ontology: string): ObjectQueryError {
  return new ObjectQueryError('OntologyChangeNotFound', { ontology })
}

const MAX_ATTEMPTS = 10
const OUT_OF_SYNC = 'OntologyDefinitionOutOfSync'

/**
 * Plans again if another definition was saved in the meantime. A request states its goal
 * completely, so a plan based on the new state is as good as the first one.
 */
export async function retryOutOfSync<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      const isOutOfSync = error instanceof ObjectQueryError && error.errorName === OUT_OF_SYNC
      if (!isOutOfSync || attempts === MAX_ATTEMPTS) throw error
    }
  }
}
