/** Command-line options that map the columns of files to properties. */
import { type Command, InvalidArgumentError } from 'commander'
import type { ColumnOptions } from '../transfer/import/column-plan.ts'
import { parseText } from './service-options.ts'

export interface ColumnArgs {
  readonly map?: readonly [string, string][]
  readonly ignore?: readonly string[]
  readonly geopoint?: readonly [string, { latitude: string; longitude: string }][]
  readonly rowNumber?: string
}

export function addColumnOptions(command: Command): Command {
  return command
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

export function readColumnOptions({ map, ignore, geopoint, rowNumber }: ColumnArgs): ColumnOptions {
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
