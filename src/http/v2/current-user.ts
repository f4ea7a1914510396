/** The caller of a request as a user, for the official SDKs. */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import type { Caller } from '../../access/caller-rights.ts'
import { closed, text } from '../../contract/schema-parts.ts'
import { endpoint } from '../endpoint.ts'
import { sendJson } from '../response/send-data.ts'

const User = Type.Object({
  id: text('The same for all tokens of one person or program.'),
  username: Type.String(),
  givenName: Type.Optional(Type.String()),
  familyName: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  realm: text('Always `oqs`.'),
  status: Type.Literal('ACTIVE'),
  attributes: Type.Object({}),
})

function toUser({ id, userId, name, profile }: Caller) {
  return {
    id: toUuid(userId ?? id),
    username: name,
    ...profile,
    realm: 'oqs',
    status: 'ACTIVE',
    attributes: {},
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Clients expect a UUID. Ids that are none are hashed to one of version 8 (RFC 9562, 5.8). */
function toUuid(id: string): string {
  if (UUID.test(id)) return id
  const digits = hash('sha256', id, 'hex')
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ]
  return parts.join('-')
}

export const getCurrentUser = endpoint({
  route: 'GET /api/v2/admin/users/getCurrent',
  config: { scope: 'any' },
  operationId: 'getCurrentUser',
  summary: 'Get the caller as a user',
  description: 'Published clients ask this to find out whose token they have.',
  querystring: Type.Object({ preview: Type.Optional(Type.Boolean()) }, closed),
  response: User,
  handle: async ({ caller }, reply) => sendJson(reply, JSON.stringify(toUser(caller))),
})
