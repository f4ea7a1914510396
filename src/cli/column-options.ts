/** Command-line options that map the columns of files to properties. */
import { type Command, InvalidArgumentError } from 'commander'
import type { ColumnOptions } from '../transfer/columns/column-plan.ts'
import { compileDateFormat, DATE_FORMAT_HELP } from '../transfer/columns/date-format.ts'
import { GIVEN_TYPES, readGivenType } from '../transfer/columns/given-type.ts'
import { parseText } from './service-options.ts'

export interface ColumnArgs {
  readonly map?: readonly [string, string][]
  readonly ignore?: readonly string[]
  readonly geopoint?: readonly [string, { latitude: string; longitude: string }][]
  readonly rowNumber?: string
  readonly key?: string
  readonly as?: readonly GivenType[]
  readonly dateFormat?: readonly string[]
  readonly decimalComma?: true
  readonly null?: readonly string[]
}

type GivenType = [column: string, type: NonNullable<ReturnType<typeof readGivenType>>]

export function addColumnOptions(command: Command): Command {
  return command
    .option('--key <column>', 'the column with the primary key (default: detected)', parseText)
    .option(
      '--as <column=type>',
      'the type of a column, such as price=decimal, tags=string[] or title=string:english; repeatable',
      addType,
    )
    .option(
      '--date-format <format>',
      `how dates are written, such as DD.MM.YYYY; repeatable; tokens: ${DATE_FORMAT_HELP}`,
      addDateFormat,
    )
    .option('--decimal-comma', 'numbers are written as 1.234,5')
    .option(
      '--null <text>',
      'a text that stands for a missing value, such as NA; repeatable',
      addText,
    )
    .option('--map <column=property>', 'map a column to a property; repeatable', addMapping)
    .option('--ignore <column>', 'skip a column; repeatable', addText)
    .option(
      '--geopoint <property=lat,lon>',
      'the two columns of a geopoint, if their names do not show it; repeatable',
      addGeopoint,
    )
    .option(
      '--row-number <property>',
      'number the rows in this property, for data without a unique column',
      parseText,
    )
}

export function readColumnOptions(args: ColumnArgs): ColumnOptions {
  const { map, ignore, geopoint, rowNumber, key, as } = args
  const { dateFormat: dateFormats, null: nulls } = args
  const numbers = args.decimalComma === true ? ('decimal comma' as const) : undefined
  const hasTexts = [numbers, dateFormats, nulls].some((option) => option !== undefined)
  return {
    ...(key === undefined ? {} : { key }),
    ...(as === undefined ? {} : { as: new Map(as) }),
    ...(hasTexts ? { texts: { numbers, dateFormats, nulls } } : {}),
    ...(map === undefined ? {} : { map: new Map(map) }),
    ...(ignore === undefined ? {} : { ignore: new Set(ignore) }),
    ...(geopoint === undefined ? {} : { geopoints: new Map(geopoint) }),
    ...(rowNumber === undefined ? {} : { rowNumber }),
  }
}

/** Returns the columns of Parquet files that are read in another way than their type says. */
export function readParquetColumns({ ignore, as = [] }: ColumnArgs) {
  return {
    ignore: new Set(ignore),
    text: new Set(as.filter(([, { type }]) => type === 'string').map(([column]) => column)),
  }
}

function addType(text: string, before: readonly GivenType[] = []): GivenType[] {
  const at = text.lastIndexOf('=')
  const type = readGivenType(text.slice(at + 1))
  if (at < 1 || type === undefined) {
    throw new InvalidArgumentError(`It must be COLUMN=TYPE, with one of the types ${GIVEN_TYPES}.`)
  }
  return [...before, [text.slice(0, at), type]]
}

function addDateFormat(text: string, before: readonly string[] = []): string[] {
  if (compileDateFormat(text) !== undefined) return [...before, text]
  throw new InvalidArgumentError(
    `It must have a year, a month and a day, such as DD.MM.YYYY HH:mm. Tokens: ${DATE_FORMAT_HELP}.`,
  )
}

function addText(text: string, before: readonly string[] = []): string[] {
  return [...before, parseText(text)]
}

function addMapping(text: string, before: readonly [string, string][] = []): [string, string][] {
  // A column name may contain an equals sign; a property name cannot.
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1) {
    throw new InvalidArgumentError('It must be COLUMN=PROPERTY.')
  }
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}

type GeopointColumns = [string, { latitude: string; longitude: string }]

function addGeopoint(text: string, before: readonly GeopointColumns[] = []): GeopointColumns[] {
  const [, property, latitude, longitude] = /^([^=]+)=([^,]+),([^,]+)$/.exec(text) ?? []
  if (property === undefined || latitude === undefined || longitude === undefined) {
    throw new InvalidArgumentError(
      'It must be PROPERTY=LATITUDE,LONGITUDE, where LATITUDE and LONGITUDE are columns.',
    )
  }
  return [...before, [property, { latitude, longitude }]]
}
