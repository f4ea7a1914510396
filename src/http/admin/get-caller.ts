import { Type } from 'typebox'
import { visibleOntologies } from '../../access/policies/visible-ontologies.ts'
import type { Limit } from '../../admission/caller-limits.ts'
import { integer, text, texts, time } from '../../contract/schema-parts.ts'
import { endpoint } from '../endpoint.ts'
import { sendJson } from '../response/send-data.ts'

const CallerResponse = Type.Object({
  id: text('The caller as the log of the service names it.'),
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  ontologies: Type.Optional(texts('Absent if the token is not limited.')),
  policies: Type.Optional(texts('Absent if no policy limits the token.')),
  expiresAt: Type.Optional(time('Absent if the token never expires.')),
  limits: Type.Object(
    {
      requestsPerMinute: Type.Optional(Type.Integer()),
      maxConcurrentRequests: Type.Optional(Type.Integer()),
    },
    { description: 'The limits of the caller in each process; absent ones do not exist.' },
  ),
  pageTokens: Type.Object(
    {
      maxAgeSeconds: integer('How long the token of a next page is valid.'),
      snapshotMaxAgeSeconds: integer(
        'How long the tokens of a snapshot are valid, from its first page on.',
      ),
    },
    { description: 'The lifetimes of page tokens, which are settings of the service.' },
  ),
})

function limitAs(name: string, limit: Limit): Readonly<Record<string, number>> {
  return limit === 'none' ? {} : { [name]: limit }
}

export const getCaller = endpoint({
  route: 'GET /api/admin/v1/me',
  config: { scope: 'any' },
  operationId: 'getCaller',
  summary: 'Get the name and the rights of the caller',
  description:
    'Every token can ask: its name, scopes, ontologies, policies and limits, and when it expires.',
  response: CallerResponse,
  handle: async (request, reply, services) => {
    const { limits, walkTokens } = services
    const { requestsPerMinute, maxConcurrentRequests } = limits.callers
    const { ttlSeconds, snapshotMaxAgeSeconds } = walkTokens.lifetime
    const { id, name, scopes, policies, expiresAtMs } = request.caller
    const visible = policies && (await visibleOntologies(request, services))
    const ontologies = visible?.map(({ rid }) => rid) ?? request.caller.ontologies
    const expiresAt = expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toISOString()
    return sendJson(
      reply,
      JSON.stringify({
        id,
        name,
        scopes,
        ontologies,
        policies: policies && [...new Set(policies.flat())],
        expiresAt,
        limits: {
          ...limitAs('requestsPerMinute', requestsPerMinute),
          ...limitAs('maxConcurrentRequests', maxConcurrentRequests),
        },
        pageTokens: { maxAgeSeconds: ttlSeconds, snapshotMaxAgeSeconds },
      }),
    )
  },
})
