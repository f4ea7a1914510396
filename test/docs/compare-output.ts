/**
 * Compares the output of a command with the output that a page shows. Pages mark volatile parts
 * with an ellipsis: `"…"` is any value, `"v1.…"` any text with that beginning, a member `"…"` of an
 * object any further members, and a last element `"…"` of an array any further elements. In lines
 * of text, `…` stands for any characters.
 */

const ANY = '…'

/** Returns the first difference, or undefined if the output is as shown. */
export function differenceOf(shown: string, actual: string): string | undefined {
  const expected = readJson(shown)
  const got = readJson(actual)
  return expected === undefined || got === undefined
    ? differenceOfLines(shown.trimEnd().split('\n'), actual.trimEnd().split('\n'))
    : differenceOfValues(expected, got, '$')
}

/** One JSON value, or one value per line; undefined if the text is neither. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    try {
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    } catch {
      return undefined
    }
  }
}

function differenceOfLines(shown: readonly string[], actual: readonly string[]) {
  for (const [index, line] of shown.entries()) {
    const got = actual[index]
    if (got === undefined || !matchesText(line.trimEnd(), got.trimEnd())) {
      return `line ${index + 1}: shown ${JSON.stringify(line)}, got ${JSON.stringify(got)}`
    }
  }
  return actual.length > shown.length ? `not shown: ${actual[shown.length]}` : undefined
}

function matchesText(shown: string, actual: string): boolean {
  const [beginning = '', ...rest] = shown.split(ANY)
  if (rest.length === 0) return shown === actual
  if (!actual.startsWith(beginning)) return false
  let at = beginning.length
  for (const [index, part] of rest.entries()) {
    const found =
      index === rest.length - 1
        ? Math.max(at, actual.length - part.length)
        : actual.indexOf(part, at)
    if (found < 0 || !actual.startsWith(part, found)) return false
    at = found + part.length
  }
  return true
}

function differenceOfValues(shown: unknown, actual: unknown, path: string): string | undefined {
  if (shown === ANY) return actual === undefined ? `${path} is missing` : undefined
  if (typeof shown === 'string' && typeof actual === 'string') {
    return matchesText(shown, actual) ? undefined : differs(path, shown, actual)
  }
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const isOpen = shown.at(-1) === ANY && shown.length > 1
    const elements = isOpen ? shown.slice(0, -1) : shown
    if (isOpen ? actual.length < elements.length : actual.length !== elements.length) {
      return `${path}: shown ${elements.length} elements, got ${actual.length}`
    }
    return firstOf(elements.keys(), (index) =>
      differenceOfValues(elements[index], actual[index], `${path}[${index}]`),
    )
  }
  if (isObject(shown) && isObject(actual)) {
    const { [ANY]: open, ...members } = shown
    const unknown = Object.keys(actual).find((name) => !(name in members))
    if (open === undefined && unknown !== undefined) return `${path}.${unknown} is not shown`
    return firstOf(Object.keys(members), (name) =>
      differenceOfValues(members[name], actual[name], `${path}.${name}`),
    )
  }
  return Object.is(shown, actual) ? undefined : differs(path, shown, actual)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function differs(path: string, shown: unknown, actual: unknown): string {
  return `${path}: shown ${JSON.stringify(shown)}, got ${JSON.stringify(actual)}`
}

function firstOf<Key>(
  keys: Iterable<Key>,
  compare: (key: Key) => string | undefined,
): string | undefined {
  for (const key of keys) {
    const difference = compare(key)
    if (difference !== undefined) return difference
  }
  return undefined
}
