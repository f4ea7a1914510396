/** The request behind a view as a command for a shell. */
import { addressOf } from '../../client/addresses.ts'
import type { ServiceRequest } from '../../client/connection.ts'

/** The tools that can send a request, with their names. */
export const TOOLS = {
  curl: 'curl',
  pandas: 'pandas',
  pythonSdk: 'Python SDK',
  client: 'our client',
  osdk: '@osdk/client',
} as const
export type Tool = keyof typeof TOOLS

/** Something that a tool has no words for. */
export class NotExpressible extends Error {
  constructor(what: string) {
    super(`This tool cannot express ${what}.`)
    this.name = 'NotExpressible'
  }
}

export interface CurlOptions {
  /** Writes the body over several lines. */
  readonly isReadable?: boolean
}

/** Returns a command that works when it is pasted into a shell. */
export function toCurl(
  { method = 'GET', json, ...address }: ServiceRequest,
  origin: string,
  { isReadable = false }: CurlOptions = {},
): string {
  const body = JSON.stringify(json, undefined, isReadable ? 2 : undefined)
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(origin + addressOf(address))}`,
    // The page has no token. The examples of the documentation export this variable.
    '-H "Authorization: Bearer $OQS_TOKEN"',
    ...(body === undefined
      ? []
      : [`-H ${quote('Content-Type: application/json')}`, `-d ${quote(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Quotes for POSIX shells: a single quote ends the text, is escaped, and starts it again. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
