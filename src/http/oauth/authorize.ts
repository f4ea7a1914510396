/**
 * `/multipass/api/oauth2/authorize`: a person signs in with an API token, sees what a client asks
 * for, and allows or denies it (RFC 6749, 4.1).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkRedirectUri, findOAuthClient, type OAuthClient } from '../../access/oauth/clients.ts'
import { OAuthError } from '../../access/oauth/oauth-error.ts'
import { type RequestedScopes, readScopes } from '../../access/oauth/oauth-scopes.ts'
import { readChallenge } from '../../access/oauth/pkce.ts'
import { signIn } from '../../access/oauth/sign-in.ts'
import type { App } from '../app.ts'
import { UNGUARDED } from '../request/declare-guards.ts'
import type { Services } from '../services.ts'
import { AUTHORIZE_PATH } from './paths.ts'
import { type Parameters, readParameters, requireParameter } from './read-form.ts'
import { pageHeaders, signInPage } from './sign-in-page.ts'

/** The parameters that the form of the page repeats. */
const REPEATED = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const

/** A cookie and a hidden member of the form with the same secret: another site can send neither. */
const CSRF_NAME = 'oqs_sign_in'
const CSRF_BYTES = 32
const CSRF_SECONDS = 3600

interface AuthorizationRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly parameters: Parameters
  /** The path of the page, as the browser sees it. */
  readonly pagePath: string
}

export function addAuthorize(app: App, services: Services): void {
  app.get(AUTHORIZE_PATH, { schema: { hide: true } }, async (request, reply) => {
    const parameters = readParameters(queryOf(request))
    const authorization = await readRequest(parameters, services)
    return redirectOnError(reply, authorization, async () =>
      sendPage(request, reply, authorization, readRequestedScopes(authorization)),
    )
  })
  const config = { writes: UNGUARDED }
  app.post(AUTHORIZE_PATH, { config, schema: { hide: true } }, async (request, reply) => {
    const form = (request.body ?? {}) as Parameters
    const authorization = await readRequest(form, services)
    checkCsrf(request, form[CSRF_NAME])
    return redirectOnError(reply, authorization, async () => {
      const { client, redirectUri } = authorization
      const requested = readRequestedScopes(authorization)
      if (form['decision'] !== 'allow') {
        throw new OAuthError('access_denied', 'The person denied the request.')
      }
      const challenge = readChallenge(form, client.isPublic)
      const spec = { client, redirectUri, requested, challenge }
      const signedIn = await signIn(spec, form['token'], request.ip, services)
      if ('code' in signedIn) return redirect(reply, authorization, signedIn)
      const delayMs = services.admission.refusalDelayMs(`address ${request.ip}`)
      if (delayMs > 0) await sleep(delayMs)
      return sendPage(request, reply, authorization, requested, signedIn.problem)
    })
  })
}

/** The query begins at the first question mark and may contain others (RFC 3986, 3.4). */
function queryOf({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}

/** Errors before the redirect URI is known to belong to the client are shown to the person. */
async function readRequest(
  parameters: Parameters,
  { store, now, basePath }: Services,
): Promise<AuthorizationRequest> {
  const id = requireParameter(parameters, 'client_id')
  const client = await findOAuthClient(store.documents, id, now())
  if (client === undefined) throw new OAuthError('invalid_request', 'The client is unknown.')
  const redirectUri = requireParameter(parameters, 'redirect_uri')
  checkRedirectUri(client, redirectUri)
  return { client, redirectUri, parameters, pagePath: basePath + AUTHORIZE_PATH }
}

/** Checks the rest of the request. These errors are for the client. */
function readRequestedScopes({ client, parameters }: AuthorizationRequest): RequestedScopes {
  if (requireParameter(parameters, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  }
  readChallenge(parameters, client.isPublic)
  return readScopes(parameters['scope'], client.scopes)
}

async function redirectOnError(
  reply: FastifyReply,
  authorization: AuthorizationRequest,
  run: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { code, message } = error
    return redirect(reply, authorization, { error: code, error_description: message })
  }
}

/** 303: the browser must not send the form, which contains a token, to the client. */
function redirect(
  reply: FastifyReply,
  { redirectUri, parameters: { state } }: AuthorizationRequest,
  result: Readonly<Record<string, string>>,
): FastifyReply {
  const target = new URL(redirectUri)
  for (const [name, value] of Object.entries(result)) target.searchParams.set(name, value)
  if (state !== undefined) target.searchParams.set('state', state)
  return reply.headers({ 'cache-control': 'no-store' }).redirect(target.href, 303)
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { client, redirectUri, parameters, pagePath }: AuthorizationRequest,
  { scopes, isOffline }: RequestedScopes,
  problem?: string,
): FastifyReply {
  const csrf = readCookie(request) ?? randomBytes(CSRF_BYTES).toString('base64url')
  const isSecure = request.protocol === 'https' ? '; Secure' : ''
  const attributes = `Path=${pagePath}; Max-Age=${CSRF_SECONDS}; HttpOnly; SameSite=Lax`
  const repeated = REPEATED.flatMap((name) => {
    const value = parameters[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const page = signInPage({
    clientName: client.name,
    redirectUri,
    scopes,
    ontologies: client.ontologies,
    isOffline,
    hidden: { ...Object.fromEntries(repeated), [CSRF_NAME]: csrf },
    problem,
  })
  return reply
    .code(problem === undefined ? 200 : 403)
    .headers({
      ...pageHeaders(redirectUri),
      'set-cookie': `${CSRF_NAME}=${csrf}; ${attributes}${isSecure}`,
    })
    .send(page)
}

const COOKIE = new RegExp(`(?:^|; *)${CSRF_NAME}=([A-Za-z0-9_-]{43})(?:;|$)`)

function readCookie({ headers }: FastifyRequest): string | undefined {
  return COOKIE.exec(headers.cookie ?? '')?.[1]
}

/** Refuses a form that another site sent. */
function checkCsrf(request: FastifyRequest, sent = ''): void {
  const expected = Buffer.from(readCookie(request) ?? '')
  const actual = Buffer.from(sent)
  const isOwn =
    expected.length > 0 && actual.length === expected.length && timingSafeEqual(actual, expected)
  // Old browsers do not send the header. A sibling domain, which can set cookies, is another site.
  const { 'sec-fetch-site': site = 'same-origin' } = request.headers
  if (isOwn && site === 'same-origin') return
  const description = 'The page has expired, or the browser does not keep cookies. Start again.'
  throw new OAuthError('invalid_request', description, 403)
}
