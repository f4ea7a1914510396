/** An agent: the official client of the Model Context Protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export interface Agent extends AsyncDisposable {
  readonly client: Client
  /** Calls a tool, and returns its answer. Throws the text of its error. */
  // biome-ignore lint/suspicious/noExplicitAny: the answer is the thing under test
  call(name: string, args?: object): Promise<any>
  /** Calls a tool that fails, and returns the text of its error. */
  fail(name: string, args?: object): Promise<string>
}

interface AgentOptions {
  /** Whether the client speaks the revision without a handshake, or one with it. */
  readonly mode?: 'modern' | 'legacy'
}

/** Connects an agent to `/mcp` of a service. */
export async function connectAgent(
  url: string,
  token: string,
  { mode = 'legacy' }: AgentOptions = {},
): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1' },
    mode === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport)
  return agentOf(client)
}

export function agentOf(client: Client): Agent {
  const callTool = async (name: string, args: object) => {
    const result = await client.callTool({ name, arguments: { ...args } })
    const [part] = result.content as { readonly text: string }[]
    return { isError: result.isError === true, text: part?.text ?? '' }
  }
  return {
    client,
    call: async (name, args = {}) => {
      const { isError, text } = await callTool(name, args)
      if (isError) throw new Error(text)
      return JSON.parse(text)
    },
    fail: async (name, args = {}) => {
      const { isError, text } = await callTool(name, args)
      if (!isError) throw new Error(`no error: ${text}`)
      return text
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
