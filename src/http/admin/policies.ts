/** The policies of the service, as `oqs policy` manages them. */

import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Caller } from '../../access/caller-rights.ts'
import { PolicyBody, PolicyName } from '../../access/policies/policy.ts'
import {
  deletePolicy,
  findPolicy,
  listPolicies,
  type PolicyGuards,
  type ReadPolicyContext,
  savePolicy,
} from '../../access/policies/stored-policies.ts'
import { namedObject, text } from '../../contract/schema-parts.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { applyOnce } from '../request/apply-once.ts'
import { GUARDED } from '../request/declare-guards.ts'
import type { KeyedRequest } from '../request/idempotency-key.ts'
import { isConditional, readPreconditions, requirePreconditions } from '../request/preconditions.ts'
import { etagOfBytes, sendJson } from '../response/send-data.ts'
import type { Services } from '../services.ts'

const StoredPolicy = namedObject('Policy', {
  name: PolicyName,
  ...PolicyBody.properties,
  problem: Type.Optional(
    text(
      'Why the policy no longer fits a definition that it names. It allows nothing in that ontology until it is fixed.',
    ),
  ),
})

const config = { scope: 'api:admin' } as const
const writing = { scope: 'api:admin', writes: GUARDED } as const
const ONE = '/api/admin/v1/policies/:policy'

export const policies: readonly Endpoint[] = [
  endpoint({
    route: 'GET /api/admin/v1/policies',
    config,
    operationId: 'listPolicies',
    summary: 'List the policies',
    description:
      'All policies of the service, by name, with problems that an ontology changed later has caused.',
    response: Type.Object({ data: Type.Array(StoredPolicy) }),
    handle: async ({ caller }, reply, services) => {
      const { store, now } = services
      const data = await listPolicies(store.documents, contextOf(caller, services), now())
      return sendJson(reply, JSON.stringify({ data }))
    },
  }),
  endpoint({
    route: `GET ${ONE}`,
    config,
    operationId: 'getPolicy',
    summary: 'Get a policy',
    description: 'What tokens, OAuth clients and groups with this policy may see and change.',
    response: StoredPolicy,
    handle: async ({ caller, params }, reply, services) => {
      const { store, now } = services
      const context = contextOf(caller, services)
      const policy = await findPolicy(store.documents, params.policy, context, now())
      return sendJson(reply, JSON.stringify(policy))
    },
  }),
  endpoint({
    route: `PUT ${ONE}`,
    config: writing,
    operationId: 'savePolicy',
    summary: 'Create or replace a policy',
    description:
      'Takes effect with the next request of every caller that the policy limits. Walks that are in progress end with `InvalidPageToken`, reason `other rights`.',
    body: PolicyBody,
    response: StoredPolicy,
    handle: async (request, reply, services) => {
      const policy = { name: request.params.policy, ...request.body }
      const context = contextOf(request.caller, services)
      const response = await writePolicy(request, reply, services, policy, (guards) =>
        savePolicy(services.store.documents, policy, context, guards),
      )
      reply.headers({ etag: etagOfBytes(response) })
      return sendJson(reply, response)
    },
  }),
  endpoint({
    route: `DELETE ${ONE}`,
    config: writing,
    operationId: 'deletePolicy',
    summary: 'Delete a policy',
    description: 'Tokens, clients and groups that name the policy lose its rights.',
    response: Type.Object({ name: PolicyName }),
    handle: async (request, reply, services) => {
      const { policy: name } = request.params
      const context = contextOf(request.caller, services)
      const response = await writePolicy(request, reply, services, { name }, (guards) =>
        deletePolicy(services.store.documents, name, context, guards),
      )
      return sendJson(reply, response)
    },
  }),
]

/** Returns what policies are checked against. */
function contextOf({ id: callerId }: Caller, services: Services): ReadPolicyContext {
  const { store, limits, views } = services
  return async (rights) => ({
    catalogue: await store.readCatalogue({ named: rights, callerId }),
    limits: limits.query,
    claims: views.claimNames,
  })
}

/** Writes a policy at most once for the key of the request, and returns the response. */
function writePolicy(
  request: KeyedRequest & Pick<FastifyRequest, 'context'>,
  reply: FastifyReply,
  services: Services,
  response: { readonly name: string },
  write: (guards: PolicyGuards) => Promise<void>,
): Promise<string> {
  const { name } = response
  const json = JSON.stringify(response)
  return applyOnce(request, reply, services, async (record) => {
    await write({ check: readCheck(request.headers, name), idempotencyKey: await record(json) })
    request.context.noteAudit({ writtenKeys: [name] })
    return json
  })
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
