/**
 * The filters of a view: conditions on properties, or on those of linked objects, and groups of
 * alternatives. In the address, a filter is `field:operator:value`. A group starts with `|`, which no
 * API name does: `|state:eq:TX|runwayFeet:gte:9000`.
 */

/** The conditions on one property, as sentences say them. */
export const OPERATOR_NAMES = {
  eq: 'is',
  neq: 'is not',
  in: 'is one of',
  notIn: 'is none of',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  between: 'is between',
  words: 'has the words',
  phrase: 'has the phrase',
  prefix: 'has a word that starts with',
  contains: 'contains',
  empty: 'is missing',
  filled: 'is present',
} as const
export type Operator = keyof typeof OPERATOR_NAMES
export const OPERATORS = Object.keys(OPERATOR_NAMES) as readonly Operator[]

export interface Condition {
  /**
   * A property, a field of a struct (`names/text`), a link (`airports`), or any of them at the end of
   * links: `country/names/text`. A property comes before a link of the same name.
   */
  readonly field: string
  readonly operator: Operator
  /** As written by the user; a list for `in`, `notIn` and `between`; empty for `empty` and `filled`. */
  readonly value: string
}

/** A condition, or several of which one must hold. */
export interface Filter extends Condition {
  /** The alternatives to the condition itself. */
  readonly or?: readonly Condition[]
}

/** Returns all alternatives of a filter. */
export function alternativesOf({ or = [], ...first }: Filter): readonly Condition[] {
  return [first, ...or]
}

/** Returns the filter that the alternatives make up; undefined if there are none. */
export function filterOf([first, ...or]: readonly Condition[]): Filter | undefined {
  return first && (or.length === 0 ? first : { ...first, or })
}

/** True if a filter is a condition on a field, and no alternative to others. */
export function isOnlyOn({ field, or }: Filter, wanted: string): boolean {
  return or === undefined && field === wanted
}

export function isSameFilter(a: Filter, b: Filter): boolean {
  return writeFilter(a) === writeFilter(b)
}

export function needsValue(operator: Operator): boolean {
  return operator !== 'empty' && operator !== 'filled'
}

export function isList(operator: Operator): boolean {
  return operator === 'in' || operator === 'notIn' || operator === 'between'
}

/** Returns the values of a condition, whether its operator takes one or several. */
export function valuesOf({ operator, value }: Condition): readonly string[] {
  return isList(operator) ? splitList(value, ',') : [value]
}

/** Returns the bounds of a range as conditions; a bound without a value is open. */
export function boundsOf({ field, ...range }: Condition): readonly Condition[] {
  const [from = '', to = ''] = valuesOf({ field, ...range })
  const bounds = [
    { field, operator: 'gte', value: from },
    { field, operator: 'lte', value: to },
  ] as const
  return bounds.filter(({ value }) => value !== '')
}

/** Writes a list: commas separate the values, and `\` escapes. A list of one empty text is `\`. */
export function writeList(values: readonly string[]): string {
  return values.length === 1 && values[0] === '' ? '\\' : joinList(values, ',')
}

export function writeFilter(filter: Filter): string {
  const texts = alternativesOf(filter).map(({ field, operator, value }) =>
    [field, operator, value].join(':'),
  )
  return texts.length === 1 ? (texts[0] ?? '') : `|${joinList(texts, '|')}`
}

/** Reads a filter of an address; undefined if a part of it cannot be read. */
export function readFilter(text: string): Filter | undefined {
  const texts = text.startsWith('|') ? splitList(text.slice(1), '|') : [text]
  const conditions = texts.flatMap((each) => readCondition(each) ?? [])
  return conditions.length < texts.length ? undefined : filterOf(conditions)
}

function readCondition(text: string): Condition | undefined {
  const [field = '', name = '', ...rest] = text.split(':')
  const operator = OPERATORS.find((each) => each === name)
  // The value may contain colons of its own.
  const value = rest.join(':')
  // A list without values says nothing.
  const isEmpty = operator !== undefined && isList(operator) && value === ''
  return field === '' || operator === undefined || isEmpty ? undefined : { field, operator, value }
}

function joinList(values: readonly string[], separator: string): string {
  const escaped = (value: string) =>
    value.replaceAll('\\', '\\\\').replaceAll(separator, `\\${separator}`)
  return values.map(escaped).join(separator)
}

function splitList(text: string, separator: string): readonly string[] {
  if (text === '') return []
  const values = ['']
  for (const [part] of text.matchAll(/\\?./gsu)) {
    const character = part.startsWith('\\') ? part.slice(1) : part
    if (part === separator) values.push('')
    else values.push(`${values.pop()}${character}`)
  }
  return values
}
