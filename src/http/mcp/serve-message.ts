/** Answers one message of the Model Context Protocol, of its revisions with and without a handshake. */
import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { callTool, TOOLS } from './tools.ts'

const INSTRUCTIONS = `Typed objects in ontologies, read-only. Start with list_types, then describe_type:
they name what you may see, and the conditions that each property supports. Answers are small: search
returns few objects with some properties and shortened texts, and says how to get more. Use aggregate
for numbers about many objects instead of reading them.`

/** Returns the response to the message in the body of a request. */
export async function serveMessage(request: FastifyRequest, services: Services): Promise<Response> {
  const parsedBody = request.body
  const message = new Request('http://service/mcp', {
    method: 'POST',
    headers: protocolHeaders(request),
    signal: request.context.signal(),
  })
  const createServer = () => toolServer(request, services)
  if (!(await isLegacyRequest(message, parsedBody))) {
    // Nothing here changes that a client could listen for.
    const handler = createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 0 })
    return handler.fetch(message, { parsedBody })
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = createServer()
  request.context.defer(() => void server.close())
  await server.connect(transport)
  return transport.handleRequest(message, { parsedBody })
}

function toolServer(request: FastifyRequest, services: Services): Server {
  const server = new Server(
    { name: 'object-query-service', version: services.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: TOOLS.map(({ name, title, description, input }) => ({
      name,
      title,
      description,
      inputSchema: input as { type: 'object' },
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params }) =>
    callTool(params.name, params.arguments ?? {}, request, services),
  )
  return server
}

/** What clients must accept by the protocol. Responses are never streams here, so JSON is enough. */
const ACCEPTED = 'application/json, text/event-stream'
const JSON_RANGE = /\*\/\*|application\/(?:\*|json)/

/** Returns the headers that the protocol reads. Others, such as the token, are not its concern. */
function protocolHeaders({ headers }: FastifyRequest): Record<string, string> {
  const { accept = '*/*', 'content-type': contentType = '' } = headers
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return {
    ...Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
    'content-type': contentType,
    accept: JSON_RANGE.test(accept) ? ACCEPTED : accept,
  }
}
