import type { Misfit } from './check-sample.ts'
import { DateFormatField } from './date-format-field.tsx'
import { isTimeType, suggestedFormat } from './date-formats.ts'
import type { FileReport } from './messages.ts'
import { MissingField } from './missing-field.tsx'
import { Badge, type PreviewColumn, PreviewTable } from './preview-table.tsx'
import {
  dateFormatOf,
  type PropertyDraft,
  type TypeDraft,
  typeChoices,
  typeText,
  withProperty,
  withType,
} from './type-draft.ts'

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
export function isOf({ property = '' }: Misfit, name: string): boolean {
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
