/** The endpoints that list, create and revoke credentials: API tokens, and OAuth clients. */

import { type TObject, type TProperties, Type } from 'typebox'
import type { ErrorName } from '../../contract/error-catalogue.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { time } from '../../contract/schema-parts.ts'
import type { IdempotencyNote } from '../../store/object-store.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { KEYED, UNGUARDED } from '../request/declare-guards.ts'
import { sendJson } from '../response/send-data.ts'
import type { Services } from '../services.ts'
import { timeText } from './credential-schemas.ts'

/** A kind of credential. */
export interface CredentialKind<Stored extends { readonly id: string }> {
  /** The last part of the path. */
  readonly path: 'tokens' | 'clients'
  /** The id, the summary and the description of each operation. */
  readonly operations: Readonly<
    Record<'list' | 'create' | 'revoke', readonly [string, string, string]>
  >
  readonly body: TObject
  /** The members of a stored credential, as responses show them. */
  readonly members: TProperties
  /** The member of the response to a creation that has the secret. */
  readonly secret: { readonly name: string; readonly schema: TProperties[string] }
  readonly notFound: (id: string) => readonly [ErrorName, Readonly<Record<string, string>>]
  readonly list: (services: Services, nowMs: number) => Promise<readonly Stored[]>
  /** Creates a credential. The store records what `record` returns. */
  readonly create: (
    services: Services,
    body: unknown,
    nowMs: number,
    record: (created: Created<Stored>) => Promise<IdempotencyNote | undefined>,
  ) => Promise<Created<Stored>>
  /** Returns what was revoked; undefined if there is nothing to revoke. */
  readonly revoke: (services: Services, id: string, nowMs: number) => Promise<Stored | undefined>
  readonly describe: (stored: Stored, nowMs: number) => object
}

interface Created<Stored> {
  readonly stored: Stored
  readonly secret: string | undefined
}

const LastUsedAt = Type.Optional(
  time('The last use, to within five minutes. Absent if there was none in 400 days.'),
)

/** Returns the endpoints of a kind of credential. */
export function credentials<Stored extends { readonly id: string }>(
  kind: CredentialKind<Stored>,
): readonly Endpoint[] {
  const path = `/api/admin/v1/${kind.path}` as const
  const describe = (operation: keyof typeof kind.operations) => {
    const [operationId, summary, description] = kind.operations[operation]
    return { operationId, summary, description }
  }
  const listed = Type.Object({ ...kind.members, lastUsedAt: LastUsedAt })
  const created = Type.Object({ ...kind.members, [kind.secret.name]: kind.secret.schema })
  return [
    endpoint({
      ...describe('list'),
      route: `GET ${path}`,
      config: { scope: 'api:admin' },
      response: Type.Object({ data: Type.Array(listed) }),
      handle: async (_request, reply, services) => {
        const nowMs = services.now()
        const [stored, uses] = await Promise.all([
          kind.list(services, nowMs),
          services.credentialUses.readAll(nowMs),
        ])
        const data = stored.map((one) => ({
          ...kind.describe(one, nowMs),
          lastUsedAt: timeText(uses.get(one.id)),
        }))
        return sendJson(reply, JSON.stringify({ data }))
      },
    }),
    endpoint({
      ...describe('create'),
      route: `POST ${path}`,
      config: { scope: 'api:admin', writes: KEYED },
      body: kind.body,
      response: created,
      handle: async (request, reply, services) => {
        const nowMs = services.now()
        const render = ({ stored, secret }: Created<Stored>) =>
          JSON.stringify({ ...kind.describe(stored, nowMs), [kind.secret.name]: secret })
        const create = async (record: RecordResponse) => {
          const one = await kind.create(services, request.body, nowMs, (created) =>
            record(render(created), created.stored.id),
          )
          request.context.noteAudit({ writtenKeys: [one.stored.id] })
          return render(one)
        }
        const response = await applyOnce(request, reply, services, create, { isSecret: true })
        void reply.header('cache-control', 'no-store')
        return sendJson(reply, response)
      },
    }),
    endpoint({
      ...describe('revoke'),
      route: `DELETE ${path}/:id`,
      config: { scope: 'api:admin', writes: UNGUARDED },
      response: Type.Object(kind.members),
      handle: async ({ params: { id }, context }, reply, services) => {
        const nowMs = services.now()
        const revoked = await kind.revoke(services, id, nowMs)
        if (revoked === undefined) throw new ObjectQueryError(...kind.notFound(id))
        context.noteAudit({ writtenKeys: [id] })
        return sendJson(reply, JSON.stringify(kind.describe(revoked, nowMs)))
      },
    }),
  ]
}
