/** The columns of a file as the preview shows them: what becomes of each, and how it is read. */
import { ownValue } from '../../formats/row.ts'
import { typeName } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isNumberType } from '../../transfer/columns/text-style.ts'
import type { Options } from '../ui/fields.tsx'
import { parsedType } from './apply-type.ts'
import type { Misfit } from './check-sample.ts'
import { type ColumnMapping, type ColumnReading, targetsOf } from './column-mapping.ts'
import { isTimeType, shownFormat, suggestedFormat } from './date-formats.ts'
import { type NumberStyle, shownNumbers, suggestedNumbers } from './number-styles.ts'
import {
  dateFormatOf,
  type PropertyDraft,
  typeChoices,
  typeText,
  withProperty,
  withType,
} from './type-draft.ts'
import type { LoadPlan } from './use-load-plan.ts'

export interface PreviewColumn {
  readonly name: string
  /** The columns of the file; a geopoint can have two. */
  readonly sources: readonly string[]
  /** What the property is to its type. */
  readonly badges: readonly string[]
  readonly note: string
  /** What becomes of it; empty if it is skipped. */
  readonly choice: string
  readonly choiceLabel: string
  readonly options: Options
  readonly misfits: number
  /** The format of its dates, as people write it; undefined if it has none. */
  readonly dateFormat: string | undefined
  /** How its numbers are written; undefined if it has none, or if the file says it. */
  readonly numbers: NumberStyle | undefined
  /** The texts that usually stand for a missing value. */
  readonly nulls: readonly string[]
  readonly keepsNulls: boolean
  readonly choose: (choice: string) => void
  /** Changes how its texts are read. */
  readonly read: (reading: ColumnReading) => void
}

const SKIP = ['', 'skip this column'] as const

export function previewColumns(plan: LoadPlan): readonly PreviewColumn[] {
  const { draft, mapping, report, spec } = plan
  if (mapping === undefined) {
    return draft.properties.map((property, at) => newColumn(plan, property, at))
  }
  const type = parsedType(spec.objectType)
  return report.columns.map((column) => mappedColumn(plan, mapping, type, column))
}

/** A column that becomes a property of a new type. */
function newColumn(plan: LoadPlan, property: PropertyDraft, at: number): PreviewColumn {
  const { draft, setDraft, report } = plan
  const { name, columns, definition, inferred, isSkipped, texts, keepsNulls = false } = property
  const source = columns.join(', ')
  const choices = typeChoices(property)
  const change = (next: PropertyDraft) => setDraft(withProperty(draft, at, next))
  return {
    name,
    sources: columns,
    badges: [...(name === draft.key ? ['key'] : []), ...(name === draft.title ? ['title'] : [])],
    note: source === name ? '' : `from ${source}`,
    choice: isSkipped ? '' : typeText(definition),
    choiceLabel: `Type of ${name}`,
    options: [...choices.map((choice) => [typeText(choice), typeText(choice)] as const), SKIP],
    misfits: countMisfits(plan.misfits, name),
    dateFormat: !isSkipped && isTimeType(definition.type) ? dateFormatOf(property) : undefined,
    numbers: isSkipped || report.kind !== 'text' ? undefined : numbersOf(property),
    nulls: isSkipped ? [] : (texts?.nulls ?? []),
    keepsNulls,
    choose: (text) => {
      const choice = choices.find((each) => typeText(each) === text)
      if (choice === undefined) return change({ ...property, isSkipped: true })
      const next = { ...withType(property, choice), isSkipped: false }
      const isChosen = isTimeType(choice.type) && choice.type !== inferred?.type
      const format = isChosen && suggestedFormat(report.sample, columns[0] ?? '')
      if (format) return change({ ...next, dateFormat: format })
      const isNumber = isNumberType(choice.type) && choice.type !== inferred?.type
      const numbers = isNumber && suggestedNumbers(report.sample, columns[0] ?? '')
      change(numbers ? { ...next, numbers } : next)
    },
    read: (reading) => change({ ...property, ...reading }),
  }
}

function numbersOf({ definition, inferred, numbers, texts }: PropertyDraft) {
  const guess = definition.type === inferred?.type ? texts : undefined
  const shown = shownNumbers(definition.type, guess)
  return shown && (numbers ?? shown)
}

/** A column that goes into a property of a type that exists. */
function mappedColumn(
  plan: LoadPlan,
  mapping: ColumnMapping,
  type: ObjectType,
  column: string,
): PreviewColumn {
  const { readings, report } = plan
  const target = mapping.get(column) ?? ''
  const property = type.properties.get(target)
  const typeText = property === undefined ? '' : typeName(property.type)
  const { inferred } = report
  const texts = inferred.columns.columnTexts?.get(column)
  const guess = ownValue(inferred.definition.properties, inferred.propertyOf.get(column) ?? '')
  // A string has the texts of other types as they are.
  const isOtherText = typeText === 'string' && guess?.type !== 'string'
  const [format] = texts?.dateFormats ?? []
  const {
    dateFormat = format && shownFormat(format),
    numbers = shownNumbers(typeText, texts),
    keepsNulls = false,
  } = readings.get(column) ?? {}
  return {
    name: column,
    sources: [column],
    badges: target === type.primaryKey.apiName ? ['key'] : [],
    note: typeText,
    choice: target,
    choiceLabel: `Property for ${column}`,
    options: [SKIP, ...targetsOf(type).map((name) => [name, name.replace('/', ': ')] as const)],
    misfits: target === '' ? 0 : countMisfits(plan.misfits, target.split('/')[0] ?? ''),
    dateFormat: isTimeType(typeText) ? (dateFormat ?? '') : undefined,
    numbers: isNumberType(typeText) && report.kind === 'text' ? numbers : undefined,
    nulls: target === '' || isOtherText ? [] : (texts?.nulls ?? []),
    keepsNulls,
    choose: (choice) => {
      const others = [...mapping].filter(([name]) => name !== column)
      plan.setMapping(new Map(choice === '' ? others : [...mapping, [column, choice]]))
    },
    read: (reading) =>
      plan.setReadings(new Map(readings).set(column, { ...readings.get(column), ...reading })),
  }
}

/** The property of a misfit can have a path into the value: `names[3].text`. */
function countMisfits(misfits: readonly Misfit[], name: string): number {
  const isOf = ({ property = '' }: Misfit) =>
    property === name || property.startsWith(`${name}[`) || property.startsWith(`${name}.`)
  return misfits.filter(isOf).length
}
