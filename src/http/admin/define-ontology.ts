import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requireAdministration } from '../../access/caller.ts'
import { checkNames } from '../../access/check-names.ts'
import { resolveOntology } from '../../access/resolve.ts'
import { nextTurn } from '../../admission/next-turn.ts'
import { DEFINITION_MAX_BYTES } from '../../contract/limits.ts'
import { closed, flag } from '../../contract/schema-parts.ts'
import { planChangeInSteps } from '../../ontology/definition/change-definition.ts'
import { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { refuseLargeDefinition } from '../../ontology/definition/definition-size.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { finishInTurns } from '../../ontology/steps.ts'
import { ChangePlan } from '../../service/definitions/change-plan.ts'
import { ChangeResponse, describeLastChange } from '../../service/definitions/last-change.ts'
import { retryOutOfSync } from '../../service/definitions/retry-out-of-sync.ts'
import { tryChange } from '../../service/definitions/try-change.ts'
import { endpoint } from '../endpoint.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { readPreconditions } from '../request/preconditions.ts'
import { GUARDED } from '../request/write-guards.ts'
import { etagOfBytes, sendJson } from '../response/send-data.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { awaitChange } from './await-change.ts'
import { requireDefinition } from './require-definition.ts'

/** Waits for the next turn of the caller: several definitions of one caller take turns, too. */
async function takeOwnTurn(
  { caller }: Pick<FastifyRequest, 'caller'>,
  { admission }: Services,
): Promise<void> {
  await nextTurn()
  await admission.takeTurn(caller.id)
}

const ChangeParameters = Type.Object(
  {
    dryRun: Type.Optional(
      flag(
        'If true, returns what would change, and changes nothing. All objects that would be rewritten are read and converted as a trial, for at most 120 seconds; `untried` says what was not read.',
      ),
    ),
    allowDataLoss: Type.Optional(
      flag(
        'If true, values of properties and objects of types that the definition no longer has are deleted.',
      ),
    ),
  },
  closed,
)

export const applyOntology = endpoint({
  route: 'PUT /api/admin/v1/ontologies/:ontology',
  config: {
    scope: 'api:ontologies-write',
    writes: GUARDED,
    invalidBody: 'InvalidOntologyDefinition',
  },
  operationId: 'applyOntology',
  summary: 'Define or change an ontology',
  description:
    'Creates the ontology, or changes it to the definition: stored objects are converted to it at the same moment. Rejected, with nothing changed, if a value would be lost or does not fit its new type. If more than 100,000 objects have to be converted, the response is 202: they are converted in the background, and the definition is published after that. `Location` is the path of `getOntologyChange`, which returns the progress.',
  querystring: ChangeParameters,
  body: OntologyDefinition,
  response: {
    ...responses(Type.Union([OntologyDefinition, ChangePlan])),
    202: ChangeResponse,
  },
  options: (services) => ({
    bodyLimit: DEFINITION_MAX_BYTES,
    preParsing: (request) => awaitChange(request, services),
    // Parsing, checking, planning and saving a large definition each take a while, so other
    // requests get a turn in between.
    preValidation: async (request) => {
      await takeOwnTurn(request, services)
      refuseLargeDefinition(request.body)
    },
    preHandler: (request) => takeOwnTurn(request, services),
  }),
  handle: async (request, reply, services) => {
    const { store } = services
    const { body, caller, context, query, headers } = request
    const { ontology: identifier } = request.params
    const { dryRun: isDryRun = false, allowDataLoss = false } = query
    const preconditions = readPreconditions(headers)
    const apply = async (record: RecordResponse) => {
      const named = [{ ontology: identifier }]
      const catalogue = await store.readCatalogue({ named, callerId: caller.id })
      checkNames(caller, identifier, body, catalogue)
      requireAdministration(caller, catalogue.find(identifier))
      await requireDefinition(preconditions, identifier, { caller, catalogue }, services)
      const options = { isDryRun, allowDataLoss, requestedAtMs: services.now() }
      const steps = planChangeInSteps(identifier, body, catalogue, services.newUuid, options)
      const change = await finishInTurns(steps, () => takeOwnTurn(request, services))
      await takeOwnTurn(request, services)
      if (isDryRun) return JSON.stringify(await tryChange(change, context, store))
      const { ontology } = change
      const json = JSON.stringify(ontology.definition)
      const idempotencyKey = await record(json)
      const outcome = await store.saveOntology({ ...change, idempotencyKey }, context)
      return outcome === 'saved' ? json : describeStarted(ontology)
    }
    const describeStarted = async (ontology: Ontology) => {
      const path = `${services.basePath}/api/admin/v1/ontologies/${encodeURIComponent(ontology.rid)}/change`
      void reply.code(202).header('location', path)
      return JSON.stringify(await describeLastChange(store, ontology))
    }
    // A dry run changes nothing, so it can be repeated anyway.
    if (isDryRun) return sendJson(reply, await retryOutOfSync(() => apply(async () => undefined)))
    const response = await applyOnce(
      request,
      reply,
      services,
      (record) => retryOutOfSync(() => apply(record)),
      {
        continued: async () => {
          const named = [{ ontology: identifier }]
          const catalogue = await store.readCatalogue({ named, callerId: caller.id })
          return describeStarted(resolveOntology(catalogue, caller, identifier))
        },
      },
    )
    if (reply.statusCode === 200) reply.headers({ etag: etagOfBytes(response) })
    return sendJson(reply, response)
  },
})

export const getOntologyDefinition = endpoint({
  route: 'GET /api/admin/v1/ontologies/:ontology',
  config: { scope: ['api:ontologies-read', 'api:ontologies-write'] },
  operationId: 'getOntologyDefinition',
  summary: 'Get the definition of an ontology',
  response: OntologyDefinition,
  handle: async (request, reply) => {
    const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
    return sendJson(reply, JSON.stringify(ontology.definition))
  },
})
