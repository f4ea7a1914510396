import type { FastifyReply } from 'fastify'
import { isNotModified } from './send-data.ts'
import { CODINGS, type Coding, type StaticFile } from './static-file.ts'

/** Unless the caller says otherwise: shared caches keep the file, and revalidate it for every use. */
const CACHE_CONTROL = 'public, no-cache'

/** Sends a file in the best coding that the client accepts, or 304 if its copy is current. */
export function sendStatic(
  reply: FastifyReply,
  { contentType, identity, compressed }: StaticFile,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  const coding = chooseCoding(reply.request.headers['accept-encoding'])
  const chosen = coding === undefined ? undefined : compressed[coding]
  const { bytes, tag } = chosen ?? identity
  reply.headers({
    'cache-control': CACHE_CONTROL,
    ...headers,
    etag: tag,
    vary: 'accept-encoding',
    ...(coding === undefined || chosen === undefined ? {} : { 'content-encoding': coding }),
  })
  if (isNotModified(reply, tag)) return reply.code(304).send()
  return reply.type(contentType).send(bytes)
}

/** Returns the first of our codings that `Accept-Encoding` allows (RFC 9110, 12.5.3). */
export function chooseCoding(accepted: string | undefined): Coding | undefined {
  if (accepted === undefined) return undefined
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))
    weights.set(
      name === 'x-gzip' ? 'gzip' : name,
      weight === undefined ? 1 : Number(weight.slice(2)),
    )
  }
  return CODINGS.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0)
}
