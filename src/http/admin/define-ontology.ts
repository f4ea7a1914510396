import { setImmediate as nextTurn } from 'node:timers/promises'
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MAX_BYTES } from '../../contract/limits.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { refuseLargeDefinition } from '../../ontology/definition/definition-size.ts'
import type { App } from '../app.ts'
import { NoParameters, readResponses, responses } from '../openapi/schemas.ts'
import { resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import type { Services } from '../services.ts'
import { refuseForeignNames } from './token-ontologies.ts'

/** Defining ontologies. */

const params = Type.Object({
  ontology: Type.String({ description: 'RID or API name of the ontology.' }),
})

export function addOntologiesAdmin(app: App, services: Services): void {
  app.put(
    '/api/admin/v1/ontologies/:ontology',
    {
      bodyLimit: DEFINITION_MAX_BYTES,
      // A large definition takes time to read, to check, to plan and to hand on: others get their
      // turn in between.
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
        params,
        querystring: NoParameters,
        body: OntologyDefinition,
        response: responses(OntologyDefinition),
      },
    },
    async (request, reply) => {
      const { ontology: identifier } = request.params
      const definition = await repeatOutOfSync(async () => {
        const catalogue = await services.store.readCatalogue()
        refuseForeignNames(request.caller, identifier, request.body, catalogue)
        const change = planChange(identifier, request.body, catalogue, services.newUuid)
        await nextTurn()
        await services.store.saveOntology(change, request.context)
        return change.ontology.definition
      })
      return sendJson(reply, JSON.stringify(definition))
    },
  )

  app.get(
    '/api/admin/v1/ontologies/:ontology',
    {
      config: { scope: 'api:ontologies-write' },
      schema: {
        operationId: 'getOntologyDefinition',
        summary: 'The definition of an ontology',
        tags: ['Administration'],
        params,
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

/** Definitions that are saved at the same time, of any ontologies, make each other plan again. */
const PLANS = 10

/** A definition is sent as a whole, so planning it again on what was just saved is what is asked. */
async function repeatOutOfSync<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let plan = 1; ; plan += 1) {
    try {
      return await attempt()
    } catch (error) {
      const again = error instanceof ObjectQueryError && error.errorName === OUT_OF_SYNC
      if (!again || plan === PLANS) throw error
    }
  }
}

const OUT_OF_SYNC = 'OntologyDefinitionOutOfSync'
