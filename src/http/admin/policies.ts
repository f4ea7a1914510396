/** The policies of the service, as `oqs policy` manages them. */
import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { Caller } from '../../access/caller.ts'
import { PolicyBody, PolicyName } from '../../access/policies/policy.ts'
import {
  deletePolicy,
  findPolicy,
  listPolicies,
  type PolicyGuards,
  type ReadPolicyContext,
  savePolicy,
} from '../../access/policies/stored-policies.ts'
import type { App } from '../app.ts'
import { applyOnce } from '../request/apply-once.ts'
import { isConditional, readPreconditions, requirePreconditions } from '../request/preconditions.ts'
import { GUARDED } from '../request/write-guards.ts'
import { etagOfBytes } from '../response/entity-tag.ts'
import { sendJson } from '../response/send-json.ts'
import { NoParameters } from '../schemas/common.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const StoredPolicy = Type.Object({
  name: PolicyName,
  ...PolicyBody.properties,
  problem: Type.Optional(
    Type.String({
      description:
        'Why the policy no longer fits a definition that it names. It allows nothing in that ontology until it is fixed.',
    }),
  ),
})

const PolicyPath = Type.Object({ policy: PolicyName })

const config = { scope: 'api:admin' } as const
const writing = { scope: 'api:admin', writes: GUARDED } as const
const common = { tags: ['Administration'], querystring: NoParameters }

/** Adds `listPolicies`, `getPolicy`, `savePolicy` and `deletePolicy`. */
export function addPolicies(app: App, services: Services): void {
  const { store, views, limits, now } = services
  const { documents } = store
  const contextFor =
    (caller: Caller): ReadPolicyContext =>
    async (rights) => ({
      catalogue: await store.readCatalogue({ named: rights, callerId: caller.id }),
      limits: limits.query,
      claims: views.claimNames,
    })
  app.get(
    '/api/admin/v1/policies',
    {
      config,
      schema: {
        ...common,
        operationId: 'listPolicies',
        summary: 'List the policies',
        response: readResponses(Type.Object({ data: Type.Array(StoredPolicy) })),
      },
    },
    async ({ caller }, reply) => {
      const data = await listPolicies(documents, contextFor(caller), now())
      return sendJson(reply, JSON.stringify({ data }))
    },
  )
  app.get(
    '/api/admin/v1/policies/:policy',
    {
      config,
      schema: {
        ...common,
        operationId: 'getPolicy',
        summary: 'Get a policy',
        params: PolicyPath,
        response: readResponses(StoredPolicy),
      },
    },
    async ({ caller, params }, reply) => {
      const policy = await findPolicy(documents, params.policy, contextFor(caller), now())
      return sendJson(reply, JSON.stringify(policy))
    },
  )
  app.put(
    '/api/admin/v1/policies/:policy',
    {
      config: writing,
      schema: {
        ...common,
        operationId: 'savePolicy',
        summary: 'Create or replace a policy',
        description:
          'Takes effect with the next request of every caller that the policy limits. Walks that are in progress end with `InvalidPageToken`, reason `other rights`.',
        params: PolicyPath,
        body: PolicyBody,
        response: responses(StoredPolicy),
      },
    },
    async (request, reply) => {
      const policy = { name: request.params.policy, ...request.body }
      const json = JSON.stringify(policy)
      const response = await applyOnce(request, reply, services, async (record) => {
        const guards = {
          check: readCheck(request.headers, policy.name),
          idempotencyKey: await record(json),
        }
        await savePolicy(documents, policy, contextFor(request.caller), guards)
        request.activity.noteAudit({ writtenKeys: [policy.name] })
        return json
      })
      reply.headers({ etag: etagOfBytes(response) })
      return sendJson(reply, response)
    },
  )
  app.delete(
    '/api/admin/v1/policies/:policy',
    {
      config: writing,
      schema: {
        ...common,
        operationId: 'deletePolicy',
        summary: 'Delete a policy',
        description: 'Tokens, clients and groups that name the policy lose its rights.',
        params: PolicyPath,
        response: responses(Type.Object({ name: PolicyName })),
      },
    },
    async (request, reply) => {
      const { policy: name } = request.params
      const json = JSON.stringify({ name })
      const response = await applyOnce(request, reply, services, async (record) => {
        const guards = {
          check: readCheck(request.headers, name),
          idempotencyKey: await record(json),
        }
        await deletePolicy(documents, name, contextFor(request.caller), guards)
        request.activity.noteAudit({ writtenKeys: [name] })
        return json
      })
      return sendJson(reply, response)
    },
  )
}

/** Returns the check of the preconditions of a request; undefined if it has none. */
function readCheck(headers: IncomingHttpHeaders, policy: string): PolicyGuards['check'] {
  const preconditions = readPreconditions(headers)
  if (!isConditional(preconditions)) return undefined
  return (stored) => {
    const readTags = stored && (() => [etagOfBytes(JSON.stringify(stored))])
    requirePreconditions(preconditions, readTags, { policy })
  }
}
