/**
 * Reads dates and times that are not written as ISO 8601, by a format such as `DD.MM.YYYY HH:mm`.
 * Sections in square brackets are optional, also inside each other.
 */

export interface DateFormat {
  readonly format: string
  /** Returns the date or the timestamp as ISO 8601; undefined if the text has another format. */
  readonly read: (text: string) => string | undefined
}

interface Token {
  readonly part: Part
  readonly pattern: string
}

type Part = 'year' | 'shortYear' | 'month' | 'monthName' | 'day' | Time

type Time = 'hour' | 'minute' | 'second' | 'fraction' | 'half' | 'zone'

const TWO = String.raw`\d{2}`
const ONE_OR_TWO = String.raw`\d{1,2}`
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH_NAME =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'

/** Tokens by their spelling in a format, the longest first. */
const TOKENS: Readonly<Record<string, Token>> = {
  YYYY: { part: 'year', pattern: String.raw`\d{4}` },
  MMM: { part: 'monthName', pattern: MONTH_NAME },
  YY: { part: 'shortYear', pattern: String.raw`\d{2}` },
  MM: { part: 'month', pattern: ONE_OR_TWO },
  DD: { part: 'day', pattern: ONE_OR_TWO },
  HH: { part: 'hour', pattern: ONE_OR_TWO },
  mm: { part: 'minute', pattern: String.raw`\d{2}` },
  ss: { part: 'second', pattern: String.raw`\d{2}` },
  S: { part: 'fraction', pattern: String.raw`\d{1,9}` },
  A: { part: 'half', pattern: '[ap]\\.?m\\.?' },
  Z: { part: 'zone', pattern: String.raw`Z|UTC|[+-]\d{2}:?\d{2}` },
}

/** The parts with a varying number of digits. */
const ANY_LENGTH: readonly Part[] = ['month', 'day', 'hour', 'fraction']

const TOKEN = new RegExp(Object.keys(TOKENS).join('|'), 'g')

/** Fine enough for every digit of `epoch-ms`, so that none is dropped. */
const SECOND_PS = 10n ** 12n

/** Formats that count from 1970, with the picoseconds of their unit. */
const EPOCHS: Readonly<Record<string, bigint>> = { epoch: SECOND_PS, 'epoch-ms': 10n ** 9n }

/** The tokens for messages and help texts. */
export const DATE_FORMAT_HELP =
  'YYYY YY MM MMM DD HH mm ss S A Z, with optional parts in brackets; or epoch, epoch-ms'

/** Compiles a format; returns undefined if it cannot describe a date. */
export function compileDateFormat(format: string): DateFormat | undefined {
  const unitPs = EPOCHS[format]
  if (unitPs !== undefined) return { format, read: (text) => readEpoch(text, unitPs) }
  const parts = format.match(TOKEN)?.map((token) => (TOKENS[token] as Token).part) ?? []
  const hasDate = parts.includes('day') && hasOne(parts, 'month', 'monthName')
  if (!hasDate || !hasOne(parts, 'year', 'shortYear')) return undefined
  if (new Set(parts).size !== parts.length || !areBracketsClosed(format)) return undefined
  const pattern = new RegExp(`^${patternOf(format)}$`, 'i')
  return {
    format,
    read: (text) => {
      const match = pattern.exec(text)
      return match === null ? undefined : isoText(match.groups as Parts)
    },
  }
}

function hasOne(parts: readonly Part[], a: Part, b: Part): boolean {
  return parts.includes(a) !== parts.includes(b)
}

function areBracketsClosed(format: string): boolean {
  let depth = 0
  for (const sign of format) {
    if (sign === '[') depth += 1
    if (sign === ']') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

function patternOf(format: string): string {
  let pattern = ''
  let last = 0
  for (const run of format.matchAll(RUN)) {
    pattern += literalPattern(format.slice(last, run.index)) + runPattern(run[0])
    last = run.index + run[0].length
  }
  return pattern + literalPattern(format.slice(last))
}

/** Tokens with nothing between them, except that some are optional. */
const RUN = new RegExp(String.raw`(?:${TOKEN.source})(?:[[\]]*(?:${TOKEN.source}))*`, 'g')

function runPattern(run: string): string {
  const tokens = run.match(TOKEN)?.map((token) => TOKENS[token] as Token) ?? []
  // `1112024` as DDMMYYYY can be 1 November or 11 January, unless both have two digits.
  const isAmbiguous = tokens.filter(({ part }) => ANY_LENGTH.includes(part)).length > 1
  return literalPattern(run).replaceAll(TOKEN, (token) => {
    const { part, pattern } = TOKENS[token] as Token
    return `(?<${part}>${isAmbiguous && pattern === ONE_OR_TWO ? TWO : pattern})`
  })
}

function literalPattern(text: string): string {
  return text
    .replaceAll(/[\\^$.*+?(){}|/-]/g, String.raw`\$&`)
    .replaceAll('[', '(?:')
    .replaceAll(']', ')?')
    .replaceAll(/\s+/g, String.raw`\s+`)
}

type Parts = Readonly<Partial<Record<Part, string>>>

/** Two-digit years up to this one belong to this century, as in POSIX. */
const LAST_SHORT_YEAR = 68

function isoText(parts: Parts): string | undefined {
  const { year = longYear(parts.shortYear), day = '', hour, minute = '00', second = '00' } = parts
  const month =
    parts.month ?? String(MONTHS.indexOf((parts.monthName ?? '').slice(0, 3).toLowerCase()) + 1)
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isDate(date)) return undefined
  if (hour === undefined) return date
  const hours = hourOfDay(Number(hour), parts.half)
  if (hours === undefined || Number(minute) > 59 || Number(second) > 59) return undefined
  const fraction = parts.fraction === undefined ? '' : `.${parts.fraction}`
  return `${date}T${String(hours).padStart(2, '0')}:${minute}:${second}${fraction}${zoneText(parts.zone)}`
}

function longYear(shortYear = ''): string {
  return `${Number(shortYear) <= LAST_SHORT_YEAR ? '20' : '19'}${shortYear}`
}

/** Returns whether the day exists: 30 February does not. */
function isDate(date: string): boolean {
  const parsed = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date)
}

function hourOfDay(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0)
}

function zoneText(zone: string | undefined): string {
  if (zone === undefined || /^(?:Z|UTC)$/i.test(zone)) return 'Z'
  return zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone
}

const FRACTION_DIGITS = 9
const FRACTION_UNITS = 10n ** 9n
const EPOCH = /^(-?)(\d{1,15})(?:\.(\d{1,9}))?$/

/** Calculates with whole picoseconds, because a `Date` has only milliseconds. */
function readEpoch(text: string, unitPs: bigint): string | undefined {
  const [, sign, whole, fraction = ''] = EPOCH.exec(text) ?? []
  if (whole === undefined) return undefined
  const distance = (BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0')) * unitPs) / FRACTION_UNITS
  const time = sign === '-' ? -distance : distance
  const rest = ((time % SECOND_PS) + SECOND_PS) % SECOND_PS
  const date = new Date(Number((time - rest) / SECOND_PS) * 1000)
  if (Number.isNaN(date.getTime())) return undefined
  const digits = String(rest)
    .padStart(12, '0')
    .replace(/(?:000){1,3}$/, '')
  return date.toISOString().replace('.000Z', `.${digits}Z`)
}

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:([Zz]|UTC)|([+-]\d{2})(?::?(\d{2}))?)?)?$/

/**
 * Converts a timestamp to the form that the service accepts. Allows a space instead of the T, a
 * short offset and a date alone; without a zone it is UTC. Returns undefined for other texts.
 */
export function isoTimestamp(text: string): string | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [, date, time = '00:00', , hours, minutes = '00'] = match
  return `${date}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`
}

const PLAIN_UTC =
  /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/

/**
 * Returns whether a text is a timestamp that is canonical but for a fraction of zero, without looking
 * up the length of its month.
 */
export function isPlainUtc(text: string): boolean {
  return PLAIN_UTC.test(text)
}

const NO_FRACTION = '.000Z'

/** Returns the canonical form of such a text. */
export function canonicalUtc(text: string): string {
  return text.endsWith(NO_FRACTION) ? `${text.slice(0, -NO_FRACTION.length)}Z` : text
}
