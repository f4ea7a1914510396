/** What to do about data that cannot be read or written, in terms of options. */
import type { Note, Remedy } from '../formats/remedy.ts'
import type { ColumnMismatch, ColumnOptions } from '../transfer/columns/column-plan.ts'
import { quoted } from './value-advice.ts'

type Phrases = {
  readonly [Name in Remedy['do']]: (remedy: Remedy & { readonly do: Name }) => string
}

const START_AGAIN = 'run without --resume to start again'

/** Phrases in lower case, without a final period. */
const PHRASES: Phrases = {
  nameEncoding: () =>
    'pass the encoding of the file: --encoding windows-1252 for most files of Windows and Excel in Western Europe',
  checkFormat: () => 'check --format',
  raiseTemporaryBytes: () => 'decompress it first, or raise --max-temp-bytes',
  skipColumn: ({ column, canBeText }) => {
    const skip = `skip it with --ignore ${column}`
    return canBeText ? `${skip}, or read its bytes as text with --as ${column}=string` : skip
  },
  skipOrMapColumns: ({ columns: [first = '', ...others] }) => {
    const it = others.length === 0 ? 'it' : 'them'
    const map = `map ${it} with --map ${quoted(`${first}=PROPERTY`)}`
    return `skip ${it} with --ignore ${quoted(first)}, or ${map}`
  },
  skipOneColumn: () => 'skip one with --ignore, or map it with --map',
  chooseDuplicate: () => 'pass --on-duplicate first or last to write one of the rows',
  chooseKey: () => 'choose one with --key',
  flatten: () => '--flatten gives nested objects columns of their own',
  provideKey: ({ property, areNumbersTaken }) => {
    const number = `number the rows from 1 with --row-number ${property}`
    const overwritten = 'objects that have these numbers are overwritten, or kept with --append'
    const replaced = areNumbersTaken ? '; --replace replaces all objects' : ''
    return `map a column with --map COLUMN=${property}, or ${number}; ${overwritten}${replaced}`
  },
  keepTexts: ({ column }) => `pass --as ${JSON.stringify(`${column}=string`)} to keep such texts`,
  chooseNumberStyle: ({ column }) =>
    `pass --decimal-comma, or --as ${JSON.stringify(`${column}=long`)}`,
  chooseDateFormat: ({ formats }) =>
    `pass ${formats.map((format) => `--date-format ${format}`).join(' or ')}`,
  inferType: () => 'use --infer to create it from the data',
  replaceOrCopyOntology: () =>
    'pass --replace to replace its objects, or --as NAME to write a copy',
  mergeOrReplaceValues: () =>
    'pass --merge to change only the columns of the files, or --replace-values to lose the values',
  allowRejections: () => 'allow more with --max-errors',
  resume: () => 'free some space and run the command with --resume',
  startAgain: () => START_AGAIN,
  repeatOrStartAgain: () => `repeat that request, or ${START_AGAIN}`,
}

function phraseOf(remedy: Remedy): string {
  const phrase = PHRASES[remedy.do] as (remedy: Remedy) => string
  return phrase(remedy)
}

/** Returns a sentence. */
export function describeRemedy(remedy: Remedy): string {
  const phrase = phraseOf(remedy)
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
}

/** Returns one line. */
export function describeNote({ text, remedies = [] }: Note): string {
  return [text, ...remedies.map(phraseOf)].join('; ')
}

const OPTION_NAMES: Readonly<Partial<Record<keyof ColumnOptions, string>>> = {
  map: '--map',
  ignore: '--ignore',
  geopoints: '--geopoint',
  rowNumber: '--row-number',
  key: '--key',
  as: '--as',
}

/** Returns the option that is at fault, as the beginning of a message; empty without one. */
export function describeOption(error: unknown): string {
  const { option } = error as Partial<ColumnMismatch>
  if (option === undefined) return ''
  const value = option.value === undefined ? '' : ` ${option.value}`
  return `${OPTION_NAMES[option.name] ?? option.name}${value}: `
}
