import { type Command, InvalidArgumentError } from 'commander'
import type { ColumnOptions } from '../transfer/import/column-plan.ts'
import { parseText } from './service-options.ts'

/** What people can say about the columns of their files. */

export interface ColumnWords {
  readonly map?: readonly [string, string][]
  readonly ignore?: readonly string[]
  readonly geopoint?: readonly [string, { latitude: string; longitude: string }][]
  readonly rowNumber?: string
}

export function addColumnOptions(command: Command): Command {
  return command
    .option('--map <column=property>', 'the property of a column; may be repeated', addPair)
    .option('--ignore <column>', 'a column to leave out; may be repeated', addText)
    .option(
      '--geopoint <property=lat,lon>',
      'the columns of a place, where they are not found by name; may be repeated',
      addPlace,
    )
    .option(
      '--row-number <property>',
      'number the rows, for data in which no column tells them apart',
      parseText,
    )
}

export function readColumnOptions({
  map,
  ignore,
  geopoint,
  rowNumber,
}: ColumnWords): ColumnOptions {
  return {
    ...(map === undefined ? {} : { map: new Map(map) }),
    ...(ignore === undefined ? {} : { ignore: new Set(ignore) }),
    ...(geopoint === undefined ? {} : { geopoints: new Map(geopoint) }),
    ...(rowNumber === undefined ? {} : { rowNumber }),
  }
}

function addText(text: string, before: readonly string[] = []): string[] {
  return [...before, parseText(text)]
}

function addPair(text: string, before: readonly [string, string][] = []): [string, string][] {
  // The name of a property holds no equals sign, that of a column may.
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1) {
    throw new InvalidArgumentError('It must be COLUMN=PROPERTY.')
  }
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}

type Place = [string, { latitude: string; longitude: string }]

function addPlace(text: string, before: readonly Place[] = []): Place[] {
  const [, property, latitude, longitude] = /^([^=]+)=([^,]+),([^,]+)$/.exec(text) ?? []
  if (property === undefined || latitude === undefined || longitude === undefined) {
    throw new InvalidArgumentError('It must be PROPERTY=LATITUDE,LONGITUDE, the two being columns.')
  }
  return [...before, [property, { latitude, longitude }]]
}
