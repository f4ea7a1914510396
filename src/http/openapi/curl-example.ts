/** The command that sends the example of an operation. */

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: object
  readonly example?: unknown
}

/** The members of an operation that make its example. */
export interface ExampleOperation {
  readonly parameters?: readonly Parameter[]
  readonly security?: readonly []
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: object; readonly example?: unknown }>
    >
  }
}

/** A longer body is written over several lines. */
const LINE_LENGTH = 90

export function curlExample(method: string, path: string, operation: ExampleOperation): string {
  const { parameters = [], requestBody, security } = operation
  const given = parameters.filter(({ example }) => example !== undefined)
  const values = new Map(given.map(({ name, example }) => [`{${name}}`, String(example)]))
  const address = path.replaceAll(/\{\w+\}/g, (name) =>
    encodeURIComponent(values.get(name) ?? name),
  )
  const query = given.filter((parameter) => parameter.in === 'query').flatMap(queryOf)
  const url = `"$OQS_URL${address}"${query.length === 0 ? '' : quoted(`?${query.join('&')}`)}`
  const [[type, body] = ['', undefined]] = Object.entries(requestBody?.content ?? {})
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined)
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${url}`,
    ...(security === undefined ? ['-H "Authorization: Bearer $OQS_TOKEN"'] : []),
    ...given
      .filter((one) => one.in === 'header')
      .map(({ name, example }) => `-H ${quoted(`${name}: ${example}`)}`),
    ...(body === undefined ? [] : bodyArguments(type, body.example)),
  ].join(' \\\n  ')
}

function queryOf({ name, example }: Parameter): string[] {
  const pairs = typeof example === 'object' ? Object.entries(example ?? {}) : [[name, example]]
  return pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
}

function bodyArguments(type: string, example: unknown): string[] {
  const line = typeof example === 'string' ? example : JSON.stringify(example)
  const isLong = typeof example === 'object' && line.length > LINE_LENGTH
  const text = isLong ? JSON.stringify(example, null, 2) : line
  if (text === undefined) return [`-H 'Content-Type: ${type}' --data-binary @FILE`]
  if (type === 'application/json') return [`--json ${quoted(text)}`]
  return [`-H 'Content-Type: ${type}' --data-binary ${quoted(text)}`]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
