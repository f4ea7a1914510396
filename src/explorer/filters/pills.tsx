/** The conditions of a view as sentences. Each opens its editor, and can be removed. */
import { type ReactNode, useMemo } from 'react'
import { linkAt } from '../api/ontology.ts'
import { type LinkedKey, titleIn, useLinkedTitles } from '../queries/linked-titles.ts'
import { Icon } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { formatValue } from '../ui/format-value.ts'
import { toJson } from '../view/compile-filters.ts'
import { fieldAt, type ShownType } from '../view/field-at.ts'
import { alternativesOf, type Condition, type Filter, valuesOf } from '../view/filters.ts'
import { type LostPart, lostParts } from '../view/lost-parts.ts'
import { describeFilter } from '../view/operators.ts'
import { isKnownFilter, placeProperty, scalarOf } from '../view/type-view.ts'
import { type FilteredProps, FilterForm } from './filter-form.tsx'
import { dayOf } from './periods.ts'

export function Pills(props: FilteredProps) {
  const { of, view, setView } = props
  const lost = lostParts(view, of)
  const box = placeProperty(of.objectType) === undefined ? undefined : view.box
  if (view.filters.length + lost.length === 0 && box === undefined) return null
  return (
    <ul className="flex flex-wrap gap-1.5 m-0 p-0 list-none" aria-label="Filters">
      {view.filters.map(
        (filter, index) =>
          isKnownFilter(of, filter) && (
            // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity of their own
            <FilterPill key={index} {...props} filter={filter} index={index} />
          ),
      )}
      {lost.map((part) => (
        <LostPill key={part.name} part={part} setView={setView} />
      ))}
      {box !== undefined && (
        <Pill name="the box" onRemove={() => setView({ box: undefined })}>
          In the box {box.map((edge) => edge.toFixed(2)).join(', ')}
        </Pill>
      )}
    </ul>
  )
}

interface PillProps {
  /** The name of the filter that the button removes. */
  readonly name: string
  readonly isLost?: boolean
  readonly onRemove: () => void
  readonly children: ReactNode
}

function Pill({ name, isLost = false, onRemove, children }: PillProps) {
  return (
    <li className="max-w-full">
      <span
        className={`inline-flex items-center gap-1 max-w-full min-h-6 py-0 px-1 rounded-xl text-sm ${isLost ? 'border border-danger text-danger' : 'bg-accent-bg text-accent'}`}
      >
        <span className="min-w-0 min-h-6 py-0 px-1.5 text-inherit text-sm">{children}</span>
        <button
          type="button"
          className="inline-flex p-1 border-0 bg-transparent cursor-pointer"
          aria-label={`Remove ${name}`}
          onClick={onRemove}
        >
          <Icon name="close" size={12} />
        </button>
      </span>
    </li>
  )
}

function LostPill({ part, setView }: { readonly part: LostPart } & Pick<FilteredProps, 'setView'>) {
  const { name, reason, renamed, without } = part
  return (
    <Pill name={name} isLost onRemove={() => without && setView(without)}>
      {name}: {reason}
      {renamed && (
        <button
          type="button"
          className="ml-2 p-0 border-0 bg-transparent text-accent underline cursor-pointer"
          onClick={() => setView(renamed.change)}
        >
          Use {renamed.name}
        </button>
      )}
    </Pill>
  )
}

interface FilterPillProps extends FilteredProps {
  readonly filter: Filter
  readonly index: number
}

function FilterPill({ filter, index, ...filtered }: FilterPillProps) {
  const { of, view, setView } = filtered
  const text = useSentence(filter, of)
  const remove = () => setView({ filters: view.filters.toSpliced(index, 1) })
  return (
    <Pill name={text} onRemove={remove}>
      <Popup
        kind="quiet"
        className="max-w-full min-h-6 p-0 text-inherit text-sm text-left"
        label={text}
        panelLabel={`Filter: ${text}`}
      >
        {(close) => <FilterForm {...filtered} index={index} close={close} />}
      </Popup>
    </Pill>
  )
}

/** Returns a filter as a sentence, with the titles of objects in place of their keys. */
function useSentence(filter: Filter, of: ShownType): string {
  const keys = useMemo(
    () =>
      alternativesOf(filter).flatMap((condition) =>
        valuesOf(condition).flatMap((value) => linkedKey(condition, value, of) ?? []),
      ),
    [filter, of],
  )
  const titles = useLinkedTitles(of.ontology, keys)
  return describeFilter(filter, of, (condition, value) => {
    const key = linkedKey(condition, value, of)
    return (
      (key && titleIn(titles, key)) ??
      shownDay(condition, value) ??
      shownValue(condition, value, of)
    )
  })
}

/** Returns the object that a value is the key of; undefined if it is no key, or only a part of one. */
function linkedKey(condition: Condition, value: string, of: ShownType): LinkedKey | undefined {
  const field = fieldAt(of, condition.field)
  const isWhole = ['eq', 'neq', 'in', 'notIn'].includes(condition.operator)
  const link = field && linkAt(of.ontology, field.objectType.apiName, field.path ?? '')
  return link && isWhole && value !== '' ? { type: link.target, key: value } : undefined
}

/** Returns the day that a bound means, in place of its first or its last moment. */
function shownDay({ operator, ...condition }: Condition, value: string): string | undefined {
  const [from, to] = operator === 'between' ? valuesOf({ operator, ...condition }) : []
  const isStart = operator === 'gte' || operator === 'lt' || value === from
  const isEnd = operator === 'lte' || operator === 'gt' || value === to
  return (isStart ? dayOf(value, 'start') : undefined) ?? (isEnd ? dayOf(value, 'end') : undefined)
}

function shownValue({ field }: Condition, value: string, of: ShownType): string {
  const { objectType, path = '' } = fieldAt(of, field) ?? {}
  const definition = objectType?.properties[path]
  if (objectType === undefined || definition === undefined) return value
  const isText = ['string', 'array', 'struct'].includes(definition.type)
  return isText
    ? value
    : (formatValue(toJson(value, scalarOf(objectType, path)), definition) ?? value)
}
