/** The part of the sentence that names what a chart is compared with. */
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { facetOperator, suggestionsQuery } from '../queries/facet-query.ts'
import { useSession } from '../session/session.tsx'
import { type Options, optionsOf, submits } from '../ui/fields.tsx'
import { useSettled } from '../ui/hooks.ts'
import type { ChartState, Comparison } from '../view/chart-state.ts'
import { readFilter, writeFilter } from '../view/filters.ts'
import { nameOfPath, pathsOf } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import { periodOf } from './compare.ts'
import { isDimension, isPlace, isTime } from './measures.ts'

export interface ComparisonPickProps {
  readonly of: TypeView
  readonly chart: ChartState
  readonly onChange: (chart: ChartState) => void
}

export function ComparisonPick({ of, chart, onChange }: ComparisonPickProps) {
  const { against } = chart
  const period = periodOf(of)
  const { filters, text, box } = of.view
  const isFiltered = filters.length > 0 || text !== '' || box !== undefined
  const options: Options = [
    ['', 'nothing'],
    ...(period === undefined && against?.kind !== 'before' && against?.kind !== 'year'
      ? []
      : ([
          ['before', 'the period before'],
          ['year', 'a year before'],
        ] as const)),
    ...(isFiltered || against?.kind === 'all' ? ([['all', 'all objects']] as const) : []),
    ['filter', 'another filter'],
  ]
  if (chart.by.length === 0 && against === undefined) return null
  const choose = (kind: string) => {
    const chosen = comparisonOf(kind, of)
    onChange({
      ...chart,
      against: chosen,
      by: chart.by.slice(0, chosen ? 1 : 2),
    })
  }
  return (
    <>
      <span className="text-muted">compared with</span>
      <Pick label="Compared with" value={against?.kind ?? ''} options={options} onChange={choose} />
      {against?.kind === 'filter' && (
        <ComparedFilter
          key={against.filter}
          of={of}
          filter={against.filter}
          onChange={(filter) => onChange({ ...chart, against: { kind: 'filter', filter } })}
        />
      )}
    </>
  )
}

function comparisonOf(kind: string, { objectType, view }: TypeView): Comparison | undefined {
  if (kind === 'before' || kind === 'year' || kind === 'all') return { kind }
  if (kind !== 'filter') return undefined
  // Most often, it is another value of the property that the view is filtered by.
  const paths = filterPaths(objectType)
  const path = paths.find((each) => view.filters.some(({ field }) => field === each)) ?? paths[0]
  return path === undefined ? undefined : { kind, filter: filterText(objectType, path, '') }
}

function filterPaths(type: TypeView['objectType']): readonly string[] {
  return pathsOf(type).filter(
    (path) => isDimension(type, path) && !isPlace(type, path) && !isTime(scalarOf(type, path)),
  )
}

/** Writes a filter as the address has it. */
function filterText(type: TypeView['objectType'], path: string, value: string): string {
  return writeFilter({ field: path, operator: facetOperator(type, path), value })
}

interface ComparedFilterProps {
  readonly of: TypeView
  readonly filter: string
  readonly onChange: (filter: string) => void
}

/** A property and its value; what is typed counts when it is entered or left. */
function ComparedFilter({ of, filter, onChange }: ComparedFilterProps) {
  const { service } = useSession()
  const { objectType } = of
  const { field: path, value } = readFilter(filter) ?? { field: '', value: '' }
  const [typed, setTyped] = useState(value)
  const { data } = useQuery(suggestionsQuery(service, of, path, useSettled(typed)))
  const list = useId()
  const send = () => {
    const written = filterText(objectType, path, typed.trim())
    if (written !== filter) onChange(written)
  }
  return (
    <form className="flex items-center gap-1.5" onSubmit={submits(send)}>
      <Pick
        label="Compared property"
        value={path}
        unlisted={nameOfPath(objectType, path)}
        options={filterPaths(objectType).map((each) => [each, nameOfPath(objectType, each)])}
        onChange={(next) => onChange(filterText(objectType, next, ''))}
      />
      <span className="text-muted">=</span>
      <input
        className="w-40 h-8 px-2 border border-edge rounded-md bg-panel text-base"
        aria-label="Compared value"
        placeholder="a value"
        autoComplete="off"
        list={list}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={send}
      />
      <datalist id={list}>
        {data?.map(({ value: each }) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </form>
  )
}

interface PickProps {
  /** The name for screen readers. */
  readonly label: string
  readonly value: string
  /** The name of a value that is none of the options. */
  readonly unlisted?: string | undefined
  readonly options: Options
  readonly onChange: (value: string) => void
}

/** A part of the sentence. It says what the address has, even if that cannot be chosen. */
export function Pick({ label, value, unlisted = value, options, onChange }: PickProps) {
  const isListed = options.some(([each]) => each === value)
  return (
    <select
      className="max-w-60 h-8 px-1.5 border border-transparent border-b-edge rounded-md rounded-b-none bg-transparent text-lg font-semibold cursor-pointer [field-sizing:content] hover:bg-raised"
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {optionsOf(isListed ? options : [[value, unlisted], ...options])}
    </select>
  )
}
