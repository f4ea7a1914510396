/** Ontology definitions: read, define, change and delete them, and follow background changes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { viewOf } from '../../access/authenticate.ts'
import { requireAdministration } from '../../access/caller-rights.ts'
import { checkNames } from '../../access/check-names.ts'
import { resolveOntology } from '../../access/find-visible.ts'
import { nextTurn } from '../../admission/next-turn.ts'
import { ChangePlan, ChangeResponse } from '../../contract/definition-change.ts'
import { DEFINITION_MAX_BYTES } from '../../contract/limits.ts'
import { closed, flag, integer, namedObject, texts } from '../../contract/schema-parts.ts'
import { type Catalogue, findObjectType } from '../../ontology/catalogue.ts'
import { planChange, planChangeInSteps } from '../../ontology/definition/change-definition.ts'
import { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { refuseLargeDefinition } from '../../ontology/definition/definition-size.ts'
import { refuseDependents, withoutObjectType } from '../../ontology/definition/without-type.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { finishInTurns } from '../../ontology/pausable-work.ts'
import {
  changeNotFound,
  describeLastChange,
  retryOutOfSync,
  tryChange,
} from '../../service/definitions/change-plan.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { GUARDED, UNGUARDED } from '../request/declare-guards.ts'
import { isConditional, readPreconditions, requirePreconditions } from '../request/preconditions.ts'
import { etagOfBytes, sendJson } from '../response/send-data.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const PATH = '/api/admin/v1/ontologies/:ontology'
const readingConfig = { scope: ['api:ontologies-read', 'api:ontologies-write'] } as const
const writingConfig = { scope: 'api:ontologies-write', writes: GUARDED } as const

/** A change of a definition that is planned against the catalogue as of now. */
interface DefinitionWrite<Target extends Ontology | undefined> {
  /** Finds the ontology, or throws if the request must not change it. */
  readonly find: (catalogue: Catalogue) => Target
  /** Carries out the change, and returns the response. */
  readonly change: (
    ontology: Target,
    catalogue: Catalogue,
    record: RecordResponse,
  ) => Promise<string>
}

/** Waits until the caller changes no other definition. The body is not read before that. */
async function awaitChange({ context }: FastifyRequest, { admission }: Services): Promise<void> {
  const readBody = context.holdBody()
  await admission.awaitChange(context)
  readBody()
}

type NamedRequest = Pick<FastifyRequest, 'caller' | 'headers'> & {
  readonly params: { readonly ontology: string; readonly objectType?: string }
}

/** Plans a change, and plans it again if another definition was saved in the meantime. */
function planWrite<Target extends Ontology | undefined>(
  { caller, headers, params }: NamedRequest,
  services: Services,
  { find, change }: DefinitionWrite<Target>,
): (record: RecordResponse) => Promise<string> {
  const preconditions = readPreconditions(headers)
  const attempt = async (record: RecordResponse) => {
    const catalogue = await services.store.readCatalogue({ named: [params], callerId: caller.id })
    const target = find(catalogue)
    requireAdministration(caller, target)
    if (isConditional(preconditions)) {
      // The tag is that of `getOntologyDefinition`, which shows what the caller may see. The write is
      // based on the generation of the catalogue: it fails if the definition has changed since.
      const view = await viewOf(params, { caller, catalogue }, services)
      const definition = view.catalogue.find(params.ontology)?.definition
      const readTags = definition && (() => [etagOfBytes(JSON.stringify(definition))])
      requirePreconditions(preconditions, readTags, { ontology: params.ontology })
    }
    return change(target, catalogue, record)
  }
  return (record) => retryOutOfSync(() => attempt(record))
}

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

const DeletedResponse = namedObject('Deletion', {
  objectTypes: texts('The object types that were deleted.'),
  linkTypes: texts('The link types that were deleted.'),
  objects: integer('The number of objects that were deleted.'),
})

const cascade = (description: string) =>
  Type.Object({ cascade: Type.Optional(flag(description)) }, closed)

/** Deletes a definition or a part of it, at most once for the key of the request. */
async function sendDeleted(
  request: NamedRequest & Parameters<typeof applyOnce>[0],
  reply: FastifyReply,
  services: Services,
  change: DefinitionWrite<Ontology>['change'],
): Promise<FastifyReply> {
  const find = (catalogue: Catalogue) =>
    resolveOntology(catalogue, request.caller, request.params.ontology)
  const remove = planWrite(request, services, { find, change })
  return sendJson(reply, await applyOnce(request, reply, services, remove))
}

export const definitions: readonly Endpoint[] = [
  endpoint({
    route: `PUT ${PATH}`,
    config: { ...writingConfig, invalidBody: 'InvalidOntologyDefinition' },
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
      const { body, caller, context, query } = request
      const { ontology: identifier } = request.params
      const { dryRun: isDryRun = false, allowDataLoss = false } = query
      const describeStarted = async (ontology: Ontology) => {
        const path = `${services.basePath}/api/admin/v1/ontologies/${encodeURIComponent(ontology.rid)}/change`
        void reply.code(202).header('location', path)
        return JSON.stringify(await describeLastChange(store, ontology))
      }
      const apply = planWrite(request, services, {
        find: (catalogue) => {
          checkNames(caller, identifier, body, catalogue)
          return catalogue.find(identifier)
        },
        change: async (current, catalogue, record) => {
          const options = { isDryRun, allowDataLoss, requestedAtMs: services.now() }
          const steps = planChangeInSteps(identifier, body, catalogue, services.newUuid, options)
          const change = await finishInTurns(steps, () => takeOwnTurn(request, services))
          await takeOwnTurn(request, services)
          if (isDryRun) return JSON.stringify(await tryChange(change, current, context, store))
          const json = JSON.stringify(change.ontology.definition)
          const idempotencyKey = await record(json)
          const outcome = await store.saveOntology({ ...change, idempotencyKey }, context)
          return outcome === 'saved' ? json : describeStarted(change.ontology)
        },
      })
      // A dry run changes nothing, so it can be repeated anyway.
      if (isDryRun) return sendJson(reply, await apply(async () => undefined))
      const response = await applyOnce(request, reply, services, apply, {
        continued: async () => {
          const named = [request.params]
          const catalogue = await store.readCatalogue({ named, callerId: caller.id })
          return describeStarted(resolveOntology(catalogue, caller, identifier))
        },
      })
      if (reply.statusCode === 200) reply.headers({ etag: etagOfBytes(response) })
      return sendJson(reply, response)
    },
  }),
  endpoint({
    route: `GET ${PATH}`,
    config: readingConfig,
    operationId: 'getOntologyDefinition',
    summary: 'Get the definition of an ontology',
    description:
      'Returns the definition as `applyOntology` takes it, with all RIDs, limited to what policies allow.',
    response: OntologyDefinition,
    handle: async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      return sendJson(reply, JSON.stringify(ontology.definition))
    },
  }),
  endpoint({
    route: `GET ${PATH}/change`,
    config: readingConfig,
    operationId: 'getOntologyChange',
    summary: 'Get the last background change of a definition',
    description: 'Returns the background change that is running, or else the last one that ended.',
    response: responses(ChangeResponse),
    handle: async ({ catalogue, caller, params }, reply, { store }) => {
      void reply.header('cache-control', 'no-store')
      const ontology = resolveOntology(catalogue, caller, params.ontology)
      requireAdministration(caller, ontology)
      return describeLastChange(store, ontology)
    },
  }),
  endpoint({
    route: `DELETE ${PATH}/change`,
    config: { scope: 'api:ontologies-write', writes: UNGUARDED },
    operationId: 'cancelOntologyChange',
    summary: 'Cancel the background change of a definition',
    description: 'The definition stays as it is, and the converted copies of objects are deleted.',
    response: ChangeResponse,
    handle: async ({ catalogue, caller, context, params }, _reply, { store }) => {
      const ontology = resolveOntology(catalogue, caller, params.ontology)
      requireAdministration(caller, ontology)
      const isCancelled = await store.definitionChanges.cancel(ontology.rid, context)
      if (!isCancelled) throw changeNotFound(ontology.apiName)
      return describeLastChange(store, ontology)
    },
  }),
  endpoint({
    route: `DELETE ${PATH}/objectTypes/:objectType`,
    config: writingConfig,
    operationId: 'deleteObjectType',
    summary: 'Delete an object type',
    description:
      'Deletes the object type with all its objects. The entity tag for `If-Match` is that of the definition of the ontology. Rejected while a link leads from or to it, unless `cascade` is true. Walks over the type end with `ObjectTypeNotFound`.',
    querystring: cascade('Whether to delete the links from and to the type as well.'),
    response: DeletedResponse,
    options: (services) => ({ preParsing: (request) => awaitChange(request, services) }),
    handle: async (request, reply, services) => {
      const { store, newUuid } = services
      return sendDeleted(request, reply, services, async (ontology, catalogue, record) => {
        const { rid, apiName } = findObjectType(ontology, request.params.objectType)
        const { definition, dependents, linkTypes } = withoutObjectType(ontology, apiName)
        if (request.query.cascade !== true) {
          refuseDependents(dependents, `oqs ontology delete ${ontology.apiName} ${apiName}`)
        }
        const states = await store.readTypeStates(ontology.rid)
        const objects = states.find(({ typeRid }) => typeRid === rid)?.count ?? 0
        const options = { allowDataLoss: true }
        const change = planChange(ontology.rid, definition, catalogue, newUuid, options)
        const json = JSON.stringify({ objectTypes: [apiName], linkTypes: [...linkTypes], objects })
        await store.saveOntology({ ...change, idempotencyKey: await record(json) }, request.context)
        return json
      })
    },
  }),
  endpoint({
    route: `DELETE ${PATH}`,
    config: writingConfig,
    operationId: 'deleteOntology',
    summary: 'Delete an ontology',
    description:
      'Deletes the ontology with all its types. Rejected while it has objects or loads some, unless `cascade` is true. Walks over its types end with `OntologyNotFound`.',
    querystring: cascade('Whether to delete the objects as well.'),
    response: DeletedResponse,
    options: (services) => ({ preParsing: (request) => awaitChange(request, services) }),
    handle: async (request, reply, services) => {
      const { store } = services
      return sendDeleted(request, reply, services, async (ontology, catalogue, record) => {
        const { rid: ontologyRid, apiName } = ontology
        const states = await store.readTypeStates(ontologyRid)
        const json = JSON.stringify({
          objectTypes: [...ontology.objectTypes.values()].map((type) => type.apiName),
          linkTypes: ontology.linkTypes.map((link) => link.apiName),
          objects: states.reduce((sum, { count }) => sum + count, 0),
        })
        const idempotencyKey = await record(json)
        const cascade = request.query.cascade === true
        const basedOn = catalogue.generation
        const deletion = { ontologyRid, apiName, basedOn, cascade, idempotencyKey }
        await store.deleteOntology(deletion, request.context)
        return json
      })
    },
  }),
]
