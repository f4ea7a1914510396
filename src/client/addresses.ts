/** The addresses of requests: paths with variable segments, and query strings. */

/** The parameters of a query string; undefined ones are omitted, lists are repeated. */
export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

interface Address {
  readonly path: string
  readonly query?: QueryParameters | undefined
}

/** Percent-encodes a variable segment of a path. URLs cannot contain `.` and `..`, even encoded. */
export function segment(text: string | number | boolean): string {
  if (text === '.' || text === '..') {
    throw new TypeError(`a URL cannot contain the name or key "${text}"; search for it instead`)
  }
  if (!String(text).isWellFormed()) {
    throw new TypeError(
      `a URL cannot contain ${JSON.stringify(text)}: it has an unpaired surrogate`,
    )
  }
  return encodeURIComponent(text)
}

/** Builds a path whose variable segments are percent-encoded. */
export function pathOf(texts: TemplateStringsArray, ...segments: readonly string[]): string {
  return String.raw(texts, ...segments.map(segment))
}

/** Returns the path of a request with its query string. */
export function addressOf({ path, query = {} }: Address): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}
