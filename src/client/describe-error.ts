/** Describes an error response in one line. */

/** The members of an error response that the client uses. */
export interface ErrorBody {
  readonly errorName: string
  readonly errorCode?: string
  readonly errorInstanceId?: string
  readonly errorDescription?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** Parameters that are too long for a message and not readable. */
const OMITTED_PARAMETERS = ['pageToken', 'snapshotToken']
const MAX_VALUE_LENGTH = 200
const MAX_LIST_LENGTH = 10

export function describeError(
  status: number | undefined,
  body: ErrorBody,
  /** Parameters to leave out. */
  omitted: readonly string[] = [],
): string {
  const { errorName, errorDescription = '', errorInstanceId, parameters = {} } = body
  const known = (status ?? 0) >= 500 ? { ...parameters, errorInstanceId } : parameters
  const details = Object.entries(known)
    .filter(
      ([name, value]) =>
        !OMITTED_PARAMETERS.includes(name) && !omitted.includes(name) && !isEmpty(value),
    )
    .map(([name, value]) => `${name} ${describeValue(value)}`)
  const tail = details.length === 0 ? '' : ` (${details.join('; ')})`
  return `${errorName}: ${errorDescription}${tail}`
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function describeValue(value: unknown): string {
  const items = Array.isArray(value) ? value : [value]
  const described = items.slice(0, MAX_LIST_LENGTH).map((item) => describeItem(item))
  const rest = items.length - described.length
  return described.join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}

/** Joins the members of an object, such as the path and the reason of a mistake. */
export function describeItem(item: unknown, maxLength = MAX_VALUE_LENGTH): string {
  const text =
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.values(item)
          .map((member) => describeItem(member, maxLength))
          .join(' ')
      : typeof item === 'string'
        ? item
        : JSON.stringify(item)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}
