/** The endpoints that sign a browser in and out. */
import { type Static, Type } from 'typebox'
import { authenticate } from '../../access/authenticate.ts'
import { type CallerReference, referTo } from '../../access/caller-reference.ts'
import { refuseLink } from '../../access/caller-rights.ts'
import {
  createSessionCode,
  endSession,
  redeemSessionCode,
  revokeOwnToken,
  startSession,
} from '../../access/sessions.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { closed, optional, text, time } from '../../contract/schema-parts.ts'
import { endpoint } from '../endpoint.ts'
import { UNGUARDED } from '../request/declare-guards.ts'
import {
  forgetSession,
  keepSession,
  readSession,
  SESSION_HEADER,
} from '../request/session-cookie.ts'
import type { Services } from '../services.ts'

const SESSIONS = '/api/admin/v1/sessions'

const SessionBody = Type.Object(
  {
    token: optional(Type.String({ minLength: 1, description: 'A bearer token.' })),
    code: optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The code of a one-time link.' }),
    ),
  },
  closed,
)

/** Needs no bearer token: what it exchanges is the credential. */
export const createSession = endpoint({
  route: `POST ${SESSIONS}`,
  config: { writes: UNGUARDED },
  operationId: 'createSession',
  summary: 'Sign a browser in',
  description:
    'Exchanges a bearer token, or the code of a one-time link, for a cookie that scripts cannot read. The cookie counts only in requests with the header `Oqs-Session`, which pages of other sites cannot send. A session has the rights of its token, ends with it, and lasts seven days at most. A code works once, within ten minutes; any other gets 401 `InvalidOneTimeCode`.',
  security: [],
  body: SessionBody,
  response: Type.Object({ expiresAt: time() }),
  handle: async (request, reply, services) => {
    if (request.headers[SESSION_HEADER] === undefined) {
      throw invalidArgument('Oqs-Session', 'the header is missing: another site may have sent this')
    }
    const caller = await readCaller(request.body, request.ip, services)
    const { secret, expiresAtMs } = await startSession(services, caller)
    const maxAgeSeconds = Math.ceil((expiresAtMs - services.now()) / 1000)
    const kept = keepSession(request.headers, services.basePath, { secret, maxAgeSeconds })
    void reply.headers({ 'cache-control': 'no-store', 'set-cookie': kept })
    return { expiresAt: new Date(expiresAtMs).toISOString() }
  },
})

async function readCaller(
  { token, code }: Static<typeof SessionBody>,
  address: string,
  services: Services,
): Promise<CallerReference> {
  if (code != null && token == null) return redeemSessionCode(services, code)
  if (token == null || code != null) {
    throw new ObjectQueryError('InvalidParameterCombination', {
      providedParameters: token == null ? [] : ['token', 'code'],
      validCombinations: [['token'], ['code']],
    })
  }
  const caller = await authenticate({ authorization: `Bearer ${token}`, address }, services)
  return referTo(caller, services)
}

export const sendSessionCode = endpoint({
  route: `POST ${SESSIONS}/codes`,
  config: { scope: 'any', writes: UNGUARDED },
  operationId: 'createSessionCode',
  summary: 'Get a code that signs a browser in',
  description:
    'The code signs one browser in as the caller of this request, within ten minutes: open `/#code=…`. `oqs open` prints this link.',
  response: Type.Object({ code: text('Works once.'), expiresAt: time() }),
  handle: async ({ caller }, reply, services) => {
    refuseLink(caller)
    const reference = referTo(caller, services)
    const { code, expiresAtMs } = await createSessionCode(services.store, reference, services.now())
    void reply.header('cache-control', 'no-store')
    return { code, expiresAt: new Date(expiresAtMs).toISOString() }
  },
})

/** Ends what the request is sent with: a session, or the token itself. */
export const deleteSession = endpoint({
  route: `DELETE ${SESSIONS}`,
  config: { scope: 'any', writes: UNGUARDED },
  operationId: 'endSession',
  summary: 'Sign a browser out, or revoke the API token of the request',
  description:
    'With the cookie of a session, ends the session in all tabs; the token that started it stays valid. With a bearer token, revokes it. The admin token and tokens of an OpenID provider cannot be revoked here: 403 `ApiUsageDenied`.',
  response: Type.Object({}),
  handle: async ({ headers, caller }, reply, services) => {
    const session = readSession(headers)
    if (headers.authorization === undefined && session !== undefined) {
      await endSession(services, session)
      void reply.header('set-cookie', forgetSession(headers, services.basePath))
    } else await revokeOwnToken(services, caller)
    return {}
  },
})
