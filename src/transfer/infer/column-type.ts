/** Decides the type of each column, and how its texts are read, from what all columns have in common. */
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ColumnOptions } from '../columns/column-plan.ts'
import { dateOnly, isNumberType, type TextStyle } from '../columns/text-style.ts'
import type { ColumnGuess, ColumnType } from './findings.ts'
import { hasNullItem, propertyOf, scalarTypeOf, typeOf } from './value-guess.ts'

/** Returns the types of all columns, by name. */
export function columnTypes(
  columns: readonly ColumnGuess[],
  options: ColumnOptions,
): ReadonlyMap<string, ColumnType> {
  const evidence = evidenceOf(columns)
  return new Map(columns.map((column) => [column.name, columnType(column, evidence, options)]))
}

/** What unambiguous columns say about the conventions of the file. */
interface Evidence {
  readonly numbers: TextStyle['numbers'] | 'mixed'
  readonly dateFormats: ReadonlySet<string>
}

function evidenceOf(columns: readonly ColumnGuess[]): Evidence {
  const numbers = columns
    .map(numbersOf)
    .filter((style) => style === 'grouped' || style === 'decimal comma')
  const hasPoints = columns.some(hasDecimalPoints)
  const hasCommas = numbers.includes('decimal comma')
  const isGrouped = hasPoints || numbers.includes('grouped')
  return {
    numbers:
      hasCommas && isGrouped
        ? 'mixed'
        : hasCommas
          ? 'decimal comma'
          : isGrouped
            ? 'grouped'
            : undefined,
    dateFormats: new Set(
      columns.flatMap(({ styles: { dates } }) =>
        dates.length === 1 ? dates.map(({ format }) => format) : [],
      ),
    ),
  }
}

/** Returns whether the points of a column can only be decimal points. */
function hasDecimalPoints({ guess, styles }: ColumnGuess): boolean {
  const type = scalarTypeOf(guess.traits)
  return (type === 'double' || type === 'decimal') && styles.comma.traits === undefined
}

function numbersOf({
  guess,
  styles: { comma, grouped },
}: ColumnGuess): TextStyle['numbers'] | 'either' {
  if (typeOf(guess).type !== 'string') return undefined
  const isComma = comma.traits !== undefined && comma.evidence > 0
  const isGrouped = grouped.traits !== undefined && grouped.evidence > 0
  if (isComma && isGrouped) return 'either'
  return isComma ? 'decimal comma' : isGrouped ? 'grouped' : undefined
}

function columnType(column: ColumnGuess, evidence: Evidence, options: ColumnOptions): ColumnType {
  const given = options.as?.get(column.name)
  if (given !== undefined) return givenType(given, options)
  const found = declaredOrGuessed(column, evidence)
  const nulls = nullsOf(column, found)
  if (nulls.length === 0) return found
  const read = `${nulls.map((text) => JSON.stringify(text)).join(', ')} read as missing`
  const keep = { do: 'keepTexts', column: column.name } as const
  const isText = found.definition.type === 'string'
  return {
    ...found,
    style: { ...found.style, nulls },
    note: {
      text: [found.note?.text, read].filter((part) => part !== undefined).join('; '),
      remedies: [...(found.note?.remedies ?? []), ...(isText ? [keep] : [])],
    },
  }
}

/** Returns the texts that stand for a missing value. Among codes, `NA` is a code. */
function nullsOf(
  { nulls, nullsInText, hasShortCodes, guess }: ColumnGuess,
  { definition }: ColumnType,
): readonly string[] {
  if (definition.type !== 'string') return [...nulls]
  // A column with nothing else is kept as it is.
  if (guess.traits === 0) return []
  return [...nullsInText].filter((text) => text !== 'NA' || !hasShortCodes)
}

/** With an explicit type, commas in numbers group digits unless they are declared decimal commas. */
function givenType(definition: PropertyDefinition, { texts }: ColumnOptions): ColumnType {
  const isNumber = isNumberType(definition.type) && texts?.numbers === undefined
  return { definition, ...(isNumber ? { style: { numbers: 'grouped' } } : {}) }
}

function declaredOrGuessed(column: ColumnGuess, evidence: Evidence): ColumnType {
  const { declared, guess } = column
  const property = declared === undefined ? undefined : propertyOf(declared)
  if (property !== undefined && !hasNullItem(guess)) return { definition: property }
  const definition = typeOf(guess)
  if (definition.type === 'string')
    return styledNumber(column, evidence) ?? styledDate(column, evidence) ?? { definition }
  const isComma = evidence.numbers === 'decimal comma' && column.styles.comma.traits !== undefined
  // A point groups digits in a file with decimal commas: 1.234 is a thousand and more.
  return definition.type === 'double' && isComma
    ? numberType(column, 'decimal comma')
    : { definition }
}

function styledNumber(column: ColumnGuess, { numbers }: Evidence): ColumnType | undefined {
  const own = numbersOf(column)
  if (own === undefined) return undefined
  const { currencies } = column.styles
  if (currencies.size > 1) {
    const signs = [...currencies].join(', ')
    return {
      definition: { type: 'string' },
      note: { text: `a string, because its values have several currency signs: ${signs}` },
    }
  }
  if (own !== 'either') return numberType(column, own)
  if (numbers === 'grouped' || numbers === 'decimal comma') return numberType(column, numbers)
  return {
    definition: { type: 'string' },
    note: {
      text: 'a string, because its commas can be decimal commas or group digits',
      remedies: [{ do: 'chooseNumberStyle', column: column.name }],
    },
  }
}

function numberType({ styles }: ColumnGuess, numbers: 'decimal comma' | 'grouped'): ColumnType {
  const { traits = 0 } = numbers === 'grouped' ? styles.grouped : styles.comma
  const form = numbers === 'grouped' ? 'whose commas group digits' : 'with a decimal comma'
  const [sign] = styles.currencies
  const text = `numbers ${form}${sign === undefined ? '' : `, without their sign ${sign}`}`
  return { definition: { type: scalarTypeOf(traits) }, style: { numbers }, note: { text } }
}

function styledDate(
  { filled, styles }: ColumnGuess,
  { dateFormats }: Evidence,
): ColumnType | undefined {
  if (filled === 0 || styles.dates.length === 0) return undefined
  const known = styles.dates.filter(({ format }) => dateFormats.has(format))
  const [only, ...others] = known.length === 1 ? known : styles.dates
  if (only === undefined) return undefined
  const names = [only, ...others].map(dateOnly)
  if (others.length > 0) {
    return {
      definition: { type: 'string' },
      note: {
        text: `a string, because its dates can be ${names.join(' or ')}`,
        remedies: [{ do: 'chooseDateFormat', formats: names }],
      },
    }
  }
  return {
    definition: { type: styles.hasTimes ? 'timestamp' : 'date' },
    style: { dateFormats: [only.format] },
    note: { text: `dates as ${names.join()}` },
  }
}
