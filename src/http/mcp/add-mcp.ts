/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, by which agents find and read objects.
 * It is stateless, so any worker or node can answer any message. A message is a request like any other:
 * identified, admitted, limited, logged and audited by the same hooks.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyMembers, text } from '../../contract/schema-parts.ts'
import type { App } from '../app.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import { type CorsOrigins, refuseForeignOrigin } from '../request/cors.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** A schema for one message, so that a batch cannot make one request of many. */
const Message = Type.Object(
  {
    jsonrpc: Type.Enum(['2.0']),
    id: Type.Optional(Type.Unsafe<string | number>({ type: ['string', 'integer'] })),
    method: text('Such as `initialize`, `tools/list` or `tools/call`.'),
    params: Type.Optional(anyMembers()),
  },
  { additionalProperties: true },
)

const Answer = Type.Object(
  {
    jsonrpc: Type.Enum(['2.0']),
    id: Type.Optional(Type.Unsafe({ type: ['string', 'integer', 'null'] })),
    result: Type.Optional(
      anyMembers('Of `tools/call`: `content`, and `isError` if the tool failed.'),
    ),
    error: Type.Optional(anyMembers('A message that the protocol does not allow.')),
  },
  { description: 'The response to the message.' },
)

const DESCRIPTION = `
One JSON-RPC message of the Model Context Protocol, as its clients send it. \`tools/list\` describes the
tools. A tool that fails has a result with \`isError\`, which names the error and says what to do.
`

export function addMcp(app: App, services: Services, origins: CorsOrigins | undefined): void {
  const mcp = endpoint({
    route: 'POST /mcp',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'mcp',
    summary: 'Send a message of the Model Context Protocol',
    description: DESCRIPTION,
    body: Message,
    response: {
      ...responses(Answer),
      '4xx': Type.Union([Type.Ref('Error#'), Answer], {
        description: 'An error of the service, or of the protocol.',
      }),
      202: Type.Null({ description: 'A notification, which has no response.' }),
    },
    handle: async (request, reply) => {
      refuseForeignOrigin(request.raw, origins)
      // Loaded by the first message: most services never get one.
      const { serveMessage } = await import('./serve-message.ts')
      const response = await serveMessage(request as FastifyRequest, services)
      return sendResponse(reply as FastifyReply, response)
    },
  })
  addEndpoints(app, services, [mcp])
}

/** Sends a response of the protocol, which always ends with one message. */
async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const body = await response.text()
  const contentType = response.headers.get('content-type')
  if (contentType !== null) void reply.type(contentType)
  return reply.code(response.status).send(body === '' ? undefined : body)
}
