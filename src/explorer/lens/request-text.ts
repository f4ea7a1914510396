/** The request behind a view, written for the tools that people use. */
import type { ApiRequest } from '../api/call.ts'
import type { PageOf } from '../view/page-request.ts'
import { DIALECTS, whereOf } from '../view/where.ts'

export const TOOLS = ['curl', 'client', 'osdk'] as const
export type Tool = (typeof TOOLS)[number]

export const TOOL_NAMES: Readonly<Record<Tool, string>> = {
  curl: 'curl',
  client: 'our client',
  osdk: '@osdk/client',
}

/** Returns a command that works when it is pasted into a shell. */
export function toCurl({ method, path, body }: ApiRequest, origin: string, token: string): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(origin + path)}`,
    `-H ${quote(`Authorization: Bearer ${token}`)}`,
    ...(body === undefined
      ? []
      : [`-H ${quote('Content-Type: application/json')}`, `-d ${quote(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Quotes for POSIX shells: a single quote ends the text, is escaped, and starts it again. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns a program with the client of this project. */
export function toClientCode({ ontology, objectType, view }: PageOf, origin: string): string {
  const where = whereOf(view, objectType, DIALECTS.v2)
  const calls = [
    `client.objects(${js(objectType.apiName)})`,
    ...(where === undefined ? [] : [`.where(${js(where)})`]),
    ...view.order.map(({ property, direction }) => `.orderBy(${js(property)}, ${js(direction)})`),
    ...(view.isSnapshot ? ['.snapshot()'] : []),
  ]
  return `import { createClient } from 'object-query-service/client'

const client = createClient({
  baseUrl: ${js(origin)},
  ontology: ${js(ontology.apiName)},
  token: 'TOKEN',
})
for await (const object of ${calls.join('\n  ')}) {
  console.log(object)
}
`
}

/** Returns a program with `@osdk/client`. */
export function toOsdkCode({ ontology, objectType, view }: PageOf, origin: string): string {
  const where = whereOf(view, objectType, DIALECTS.v2)
  const terms = view.order.map(({ property, direction }) => `${js(property)}: ${js(direction)}`)
  const order = terms.length === 0 ? '' : `$orderBy: { ${terms.join(', ')} }, `
  const note =
    where === undefined ? '' : `\n// Conditions of this view, in v2: ${JSON.stringify(where)}`
  return `import { createClient } from '@osdk/client'
import { ${identifier(objectType.apiName)} } from './ontology.ts' // npx oqs ontology types --for osdk

const client = createClient(${js(origin)}, ${js(ontology.rid)}, async () => 'TOKEN')${note}
const page = await client(${identifier(objectType.apiName)}).fetchPage({ ${order}$pageSize: 1000 })
`
}

function js(value: unknown): string {
  return typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)
}

/** Returns a name that TypeScript accepts. */
function identifier(apiName: string): string {
  return apiName.replaceAll(/[^\w$]/g, '_').replace(/^(\d)/, '_$1')
}
