/** A request as data: it can be generated, mutated, stored in the corpus and sent. */

/** How the body is framed. All but the first two break a rule of HTTP. */
export type Framing = 'length' | 'chunked' | MalformedFraming

export const MALFORMED_FRAMINGS = [
  'length too short',
  'length too long',
  'length is not a number',
  'two lengths',
  'length and chunks',
  'chunk size is not a number',
  'chunk shorter than its size',
  'no last chunk',
  'unknown transfer coding',
] as const

type MalformedFraming = (typeof MALFORMED_FRAMINGS)[number]

/** Text can contain the placeholders of `sendRequest`, such as `{{admin}}` or `{{page:listObjects}}`. */
export interface FuzzRequest {
  readonly operation: string
  readonly method: string
  /** The path and the query, percent-encoded or deliberately not. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
  /** The body in base64, if it is not UTF-8. */
  readonly bytes?: string
  readonly framing?: Framing
}

/** Returns whether HTTP itself is violated, so that the connection may be closed without a response. */
export function isMalformed({ framing = 'length' }: FuzzRequest): boolean {
  return framing !== 'length' && framing !== 'chunked'
}

export function withHeader(
  request: FuzzRequest,
  name: string,
  value: string | undefined,
): FuzzRequest {
  const others = request.headers.filter(([other]) => other !== name)
  return { ...request, headers: value === undefined ? others : [...others, [name, value]] }
}

export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  return headers.find(([other]) => other === name)?.[1]
}

export function withBody(request: FuzzRequest, body: string | Buffer): FuzzRequest {
  const { body: _, bytes: __, ...rest } = request
  return typeof body === 'string' ? { ...rest, body } : { ...rest, bytes: body.toString('base64') }
}

export function bodyOf({ body, bytes }: FuzzRequest): Buffer | undefined {
  if (bytes !== undefined) return Buffer.from(bytes, 'base64')
  return body === undefined ? undefined : Buffer.from(body)
}
