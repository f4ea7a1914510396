import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MAX_BYTES } from '../../contract/limits.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { refuseLargeDefinition } from '../../ontology/definition/definition-size.ts'
import type { App } from '../app.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import { NoParameters } from '../schemas/common.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { checkNames } from './check-names.ts'

/** Adds `applyOntology`. */
export function addApplyOntology(app: App, services: Services): void {
  app.put(
    '/api/admin/v1/ontologies/:ontology',
    {
      bodyLimit: DEFINITION_MAX_BYTES,
      // Parsing, checking, planning and saving a large definition each take a while, so other
      // requests get a turn in between.
      preValidation: async (request) => {
        await nextTurn()
        refuseLargeDefinition(request.body)
      },
      preHandler: () => nextTurn(),
      config: { scope: 'api:ontologies-write', invalidBody: 'InvalidOntologyDefinition' },
      schema: {
        operationId: 'applyOntology',
        summary: 'Define or change an ontology',
        tags: ['Administration'],
        params: OntologyPath,
        querystring: NoParameters,
        body: OntologyDefinition,
        response: responses(OntologyDefinition),
      },
    },
    async (request, reply) => {
      const { ontology: identifier } = request.params
      const definition = await retryOutOfSync(async () => {
        const catalogue = await services.store.readCatalogue()
        checkNames(request.caller, identifier, request.body, catalogue)
        const change = planChange(identifier, request.body, catalogue, services.newUuid)
        await nextTurn()
        await services.store.saveOntology(change, request.context)
        return change.ontology.definition
      })
      return sendJson(reply, JSON.stringify(definition))
    },
  )
}

/** Adds `getOntologyDefinition`. */
export function addGetOntologyDefinition(app: App): void {
  app.get(
    '/api/admin/v1/ontologies/:ontology',
    {
      config: { scope: ['api:ontologies-read', 'api:ontologies-write'] },
      schema: {
        operationId: 'getOntologyDefinition',
        summary: 'Get the definition of an ontology',
        tags: ['Administration'],
        params: OntologyPath,
        querystring: NoParameters,
        response: readResponses(OntologyDefinition),
      },
    },
    async (request, reply) => {
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      return sendJson(reply, JSON.stringify(ontology.definition))
    },
  )
}

const MAX_ATTEMPTS = 10

/**
 * Plans again if another definition was saved in the meantime. A request contains the complete
 * definition, so a plan based on the new state is as good as the first one.
 */
async function retryOutOfSync<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      const isOutOfSync = error instanceof ObjectQueryError && error.errorName === OUT_OF_SYNC
      if (!isOutOfSync || attempts === MAX_ATTEMPTS) throw error
    }
  }
}

const OUT_OF_SYNC = 'OntologyDefinitionOutOfSync'
