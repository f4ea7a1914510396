/**
 * `oqs mcp`: agents that start a program instead of sending requests. It passes their messages on to
 * `/mcp` of a running service, so that tools, rights and limits exist once.
 */
import { once } from 'node:events'
import type { Command } from 'commander'
import type { Connection } from '../../client/connection.ts'
import { hintFor } from '../hints.ts'
import { runOnService, type ServiceContext, type ServiceOptions } from '../service-options.ts'

export function addMcpCommand(program: Command): void {
  const mcp = program
    .command('mcp')
    .description(
      'Serve the tools of a running service to an agent, as an MCP server on standard input and output.',
    )
  runOnService(mcp, ['oqs mcp', 'oqs mcp --url https://objects.example'], serveAgent)
}

async function serveAgent({ client, signal }: ServiceContext<ServiceOptions>): Promise<void> {
  const [{ LATEST_PROTOCOL_VERSION, Server }, { serveStdio }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ])
  const { connection } = client
  // Also reports a wrong address or token at once.
  const service = await send<ServiceDescription>(connection, 'initialize', {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'oqs', version: '1' },
  })
  const { serverInfo, instructions } = service
  // A file ends without being closed, and a broken pipe is closed without an end.
  const ended = Promise.race(
    ['end', 'close'].map((event) => once(process.stdin, event, { signal })),
  )
  const handle = serveStdio(() => {
    const server = new Server(serverInfo, { capabilities: { tools: {} }, instructions })
    server.setRequestHandler('tools/list', () => send(connection, 'tools/list'))
    server.setRequestHandler('tools/call', ({ params }) =>
      send<ToolResult>(connection, 'tools/call', params).catch(toToolError),
    )
    return server
  })
  try {
    await ended
  } finally {
    await handle.close()
  }
}

interface ServiceDescription {
  readonly serverInfo: { readonly name: string; readonly version: string }
  readonly instructions: string
}

interface ToolResult {
  readonly [name: string]: unknown
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly isError?: boolean
}

/** Sends a message to the service, which keeps no session, and returns its result. */
async function send<Result>(
  connection: Connection,
  method: string,
  params: object = {},
): Promise<Result> {
  const { result, error } = await connection.send<{
    readonly result?: Result
    readonly error?: { readonly message: string }
  }>({
    method: 'POST',
    path: '/mcp',
    json: { jsonrpc: '2.0', id: 1, method, params },
    isRepeatable: true,
  })
  if (result !== undefined) return result
  throw new Error(error?.message ?? `${connection.baseUrl} sent no result`)
}

/** An agent can act on the error of a tool, but not on that of a connection. */
function toToolError(error: Error): ToolResult {
  const text = error.message + hintFor(error)
  return { content: [{ type: 'text', text }], isError: true }
}
