import { typeName } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Misfit } from './check-sample.ts'
import { type ColumnMapping, targetsOf } from './column-mapping.ts'
import { DateFormatField } from './date-format-field.tsx'
import { isTimeType, shownFormat } from './date-formats.ts'
import type { ColumnReading, ColumnReadings } from './existing-target.ts'
import type { FileReport } from './messages.ts'
import { MissingField } from './missing-field.tsx'
import { isOf } from './new-type-table.tsx'
import { Badge, type PreviewColumn, PreviewTable } from './preview-table.tsx'

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
