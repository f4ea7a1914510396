/** The first rows of a file, under a head that says what becomes of each column. */

import { type ReactNode, useId } from 'react'
import { excerptOf } from '../../formats/row.ts'
import { typeName } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Misfit } from './check-sample.ts'
import {
  type ColumnMapping,
  type ColumnReading,
  type ColumnReadings,
  targetsOf,
} from './column-mapping.ts'
import { DATE_FORMATS, isTimeType, shownFormat, suggestedFormat } from './date-formats.ts'
import styles from './load.module.css'
import type { FileReport } from './messages.ts'
import {
  dateFormatOf,
  type PropertyDraft,
  type TypeDraft,
  typeChoices,
  typeText,
  withProperty,
  withType,
} from './type-draft.ts'

const SHOWN_ROWS = 6

export interface PreviewColumn {
  readonly key: string
  /** The columns of the file; a geopoint can have two. */
  readonly sources: readonly string[]
  readonly head: ReactNode
  readonly isSkipped: boolean
  readonly misfits: number
}

interface PreviewTableProps {
  readonly columns: readonly PreviewColumn[]
  readonly report: FileReport
}

function PreviewTable({ columns, report }: PreviewTableProps) {
  return (
    <section
      className="max-h-85 overflow-auto border border-line rounded-md"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what overflows
      tabIndex={0}
      aria-label="First rows of the file"
    >
      <table
        className={`w-full border-separate [border-spacing:0] text-base leading-5 ${styles.table}`}
      >
        <thead>
          <tr>
            <th scope="col" className="w-[1%] text-muted tabular-nums text-right">
              <span className="label">line</span>
            </th>
            {columns.map(({ key, head, isSkipped, misfits }) => (
              <th key={key} scope="col" data-skipped={isSkipped} data-bad={misfits > 0}>
                <div className={`grid gap-1.5 ${styles.columnHead}`}>
                  {head}
                  {misfits > 0 && (
                    <span className="mistake">
                      {misfits} {misfits === 1 ? 'does' : 'do'} not fit
                    </span>
                  )}
                </div>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {report.sample.slice(0, SHOWN_ROWS).map(({ line, cells }) => (
            <tr key={line}>
              <td className="w-[1%] text-muted tabular-nums text-right">{line}</td>
              {columns.map(({ key, sources, isSkipped }) => (
                <td key={key} data-skipped={isSkipped}>
                  {sources
                    .map((source) => excerptOf(cells[source] ?? undefined))
                    .filter((text) => text !== '')
                    .join(', ') || <span className="text-muted">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Marks what a property is to its type. */
function Badge({ children }: { readonly children: string }) {
  return (
    <span className="py-0 px-1.5 rounded-full bg-accent-bg text-accent text-xs leading-4.5">
      {children}
    </span>
  )
}

export interface MappingTableProps {
  readonly objectType: ObjectType
  readonly mapping: ColumnMapping
  readonly isNumbered: boolean
  readonly readings: ColumnReadings
  readonly report: FileReport
  readonly misfits: readonly Misfit[]
  readonly onChange: (mapping: ColumnMapping) => void
  readonly onReadings: (readings: ColumnReadings) => void
}

/** The first rows under the columns of the file, each with the property that it goes into. */
export function MappingTable(props: MappingTableProps) {
  const { objectType, mapping, isNumbered, readings, report, misfits } = props
  const { onChange, onReadings } = props
  const read = (column: string, reading: ColumnReading) =>
    onReadings(new Map(readings).set(column, { ...readings.get(column), ...reading }))
  const targets = targetsOf(objectType)
  const change = (column: string, target: string) => {
    const next = new Map(mapping)
    if (target === '') next.delete(column)
    else next.set(column, target)
    onChange(next)
  }
  const columns = report.columns.map((column): PreviewColumn => {
    const target = mapping.get(column) ?? ''
    const property = objectType.properties.get(target)
    return {
      key: column,
      sources: [column],
      isSkipped: target === '',
      misfits:
        target === ''
          ? 0
          : misfits.filter((misfit) => isOf(misfit, target.split('/')[0] ?? '')).length,
      head: (
        <>
          <span className="flex items-baseline gap-1.5 font-normal">
            <strong>{column}</strong>
            {target === objectType.primaryKey.apiName && <Badge>key</Badge>}
            {property !== undefined && <span className="label">{typeName(property.type)}</span>}
          </span>
          <select
            aria-label={`Property for ${column}`}
            value={target}
            onChange={(event) => change(column, event.target.value)}
          >
            <option value="">skip this column</option>
            {targets.map((name) => (
              <option key={name} value={name}>
                {name.replace('/', ': ')}
              </option>
            ))}
          </select>
          {property !== undefined && isTimeType(typeName(property.type)) && (
            <DateFormatField
              name={column}
              value={readings.get(column)?.dateFormat ?? inferredFormat(report, column)}
              onChange={(dateFormat) => read(column, { dateFormat })}
            />
          )}
          {target !== '' && (
            <MissingField
              nulls={inferredNulls(props, column)}
              keepsNulls={readings.get(column)?.keepsNulls ?? false}
              onChange={(keepsNulls) => read(column, { keepsNulls })}
            />
          )}
        </>
      ),
    }
  })
  const missing = [...objectType.properties.keys()].filter(
    (name) =>
      name !== objectType.primaryKey.apiName &&
      ![...mapping.values()].some((target) => target.split('/')[0] === name),
  )
  return (
    <>
      <PreviewTable columns={columns} report={report} />
      {(isNumbered || missing.length > 0) && (
        <p className="label">
          {isNumbered &&
            `No column goes into “${objectType.primaryKey.apiName}”, the key: rows are added with the numbers after the last object. `}
          {missing.length > 0 && `Without a value: ${missing.join(', ')}.`}
        </p>
      )}
    </>
  )
}

/** Returns the format of the dates that the file shows; empty for ISO 8601. */
function inferredFormat({ inferred }: FileReport, column: string): string {
  const [format] = inferred.columns.columnTexts?.get(column)?.dateFormats ?? []
  return format === undefined ? '' : shownFormat(format)
}

/** Returns the texts of a column that are read as missing, unless the user keeps them. */
function inferredNulls({ objectType, mapping, report }: MappingTableProps, column: string) {
  const { inferred } = report
  const property = objectType.properties.get(mapping.get(column) ?? '')
  const isText = property !== undefined && typeName(property.type) === 'string'
  const guess = inferred.definition.properties[inferred.propertyOf.get(column) ?? '']
  // A string has the texts of other types as they are.
  if (isText && guess?.type !== 'string') return []
  return inferred.columns.columnTexts?.get(column)?.nulls ?? []
}

export interface NewTypeTableProps {
  readonly draft: TypeDraft
  readonly report: FileReport
  readonly misfits: readonly Misfit[]
  readonly onChange: (draft: TypeDraft) => void
}

/** The first rows under the properties of a new type, whose types can be changed. */
export function NewTypeTable({ draft, report, misfits, onChange }: NewTypeTableProps) {
  const columns = draft.properties.map(
    (property, at): PreviewColumn => ({
      key: property.name,
      sources: property.columns,
      isSkipped: property.isSkipped,
      misfits: misfits.filter((misfit) => isOf(misfit, property.name)).length,
      head: (
        <>
          <PropertyHead property={property} draft={draft} />
          <TypeSelect
            property={property}
            report={report}
            onChange={(next) => onChange(withProperty(draft, at, next))}
          />
          <TextFields
            property={property}
            onChange={(next) => onChange(withProperty(draft, at, next))}
          />
        </>
      ),
    }),
  )
  return <PreviewTable columns={columns} report={report} />
}

/** The property of a misfit can have a path into the value: `names[3].text`. */
function isOf({ property = '' }: Misfit, name: string): boolean {
  return property === name || property.startsWith(`${name}[`) || property.startsWith(`${name}.`)
}

function PropertyHead({
  property: { name, columns },
  draft,
}: {
  readonly property: PropertyDraft
  readonly draft: TypeDraft
}) {
  const source = columns.join(', ')
  return (
    <span className="flex items-baseline gap-1.5 font-normal">
      <strong>{name}</strong>
      {name === draft.key && <Badge>key</Badge>}
      {name === draft.title && <Badge>title</Badge>}
      {source !== name && <span className="label">from {source}</span>}
    </span>
  )
}

const SKIP = ' skip'

interface PropertyControlProps {
  readonly property: PropertyDraft
  readonly onChange: (property: PropertyDraft) => void
}

/** How the texts of a column are read: the format of dates, and what stands for a missing value. */
function TextFields({ property, onChange }: PropertyControlProps) {
  const { name, definition, isSkipped, texts, keepsNulls = false } = property
  if (isSkipped) return null
  return (
    <>
      {isTimeType(definition.type) && (
        <DateFormatField
          name={name}
          value={dateFormatOf(property)}
          onChange={(dateFormat) => onChange({ ...property, dateFormat })}
        />
      )}
      <MissingField
        nulls={texts?.nulls ?? []}
        keepsNulls={keepsNulls}
        onChange={(keeps) => onChange({ ...property, keepsNulls: keeps })}
      />
    </>
  )
}

interface TypeSelectProps extends PropertyControlProps {
  readonly report: FileReport
}

function TypeSelect({ property, report, onChange }: TypeSelectProps) {
  const choices = typeChoices(property)
  const change = (value: string) => {
    const choice = choices.find((each) => typeText(each) === value)
    if (choice === undefined) {
      onChange({ ...property, isSkipped: true })
      return
    }
    const next = { ...withType(property, choice), isSkipped: false }
    const isChosen = isTimeType(choice.type) && choice.type !== property.inferred?.type
    const format = isChosen && suggestedFormat(report.sample, property.columns[0] ?? '')
    onChange(format ? { ...next, dateFormat: format } : next)
  }
  return (
    <select
      aria-label={`Type of ${property.name}`}
      value={property.isSkipped ? SKIP : typeText(property.definition)}
      onChange={(event) => change(event.target.value)}
    >
      {choices.map((choice) => {
        const text = typeText(choice)
        return (
          <option key={text} value={text}>
            {text}
          </option>
        )
      })}
      <option value={SKIP}>skip this column</option>
    </select>
  )
}

interface DateFormatFieldProps {
  /** The name of the column or the property. */
  readonly name: string
  /** Empty for ISO 8601. */
  readonly value: string
  readonly onChange: (format: string) => void
}

/** A field for the format of the dates of a column: one of a list, or any other. */
function DateFormatField({ name, value, onChange }: DateFormatFieldProps) {
  const id = useId()
  return (
    <>
      <input
        aria-label={`Date format of ${name}`}
        title="How the dates are written in the file"
        list={id}
        value={value}
        placeholder="YYYY-MM-DD"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value.trim())}
      />
      <datalist id={id}>
        {DATE_FORMATS.map((format) => (
          <option key={format} value={format} />
        ))}
      </datalist>
    </>
  )
}

interface MissingFieldProps {
  /** The texts that usually stand for a missing value. */
  readonly nulls: readonly string[]
  readonly keepsNulls: boolean
  readonly onChange: (keepsNulls: boolean) => void
}

/** Asks whether texts such as `NA` are missing values; nothing if a column has none. */
function MissingField({ nulls, keepsNulls, onChange }: MissingFieldProps) {
  if (nulls.length === 0) return null
  return (
    <label className="flex items-center gap-1.5 text-sm font-normal">
      <input
        type="checkbox"
        checked={!keepsNulls}
        onChange={({ target }) => onChange(!target.checked)}
      />
      {nulls.map((text) => `“${text}”`).join(', ')} {nulls.length === 1 ? 'is' : 'are'} missing
    </label>
  )
}
