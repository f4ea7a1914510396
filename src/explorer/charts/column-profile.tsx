/** What one needs to know of a column before one asks anything of it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countOf, formatCount } from '../../contract/count-of.ts'
import { messageOf } from '../api/service.ts'
import { facetOperator } from '../queries/facet-query.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import { Select } from '../ui/fields.tsx'
import { formatValue } from '../ui/format-value.ts'
import { nameOfPath, pathsOf } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import type { Filter } from '../view/view-state.ts'
import { measureFormat } from './measures.ts'
import {
  allDiffer,
  type FrequentValue,
  type Profile,
  profileQuery,
  profileValuesQuery,
} from './profile-query.ts'

export interface ColumnProfileProps {
  readonly of: TypeView
  readonly property: string
  readonly canCount: boolean
  readonly onFilter: (filters: readonly Filter[]) => void
}

export function ColumnProfile({ of, property, canCount, onFilter }: ColumnProfileProps) {
  const { service } = useSession()
  const { objectType } = of
  const fields = pathsOf(objectType).filter((path) => path.startsWith(`${property}/`))
  const [path, setPath] = useState(fields[0] ?? property)
  const { data, error } = useQuery({ ...profileQuery(service, of, path), enabled: canCount })
  return (
    <section className="grid gap-2 text-base leading-5" aria-label={`About ${property}`}>
      {fields.length > 0 && (
        <Select
          label="Field"
          className="h-8"
          value={path}
          options={fields.map((each) => [each, nameOfPath(objectType, each)])}
          onChange={setPath}
        />
      )}
      {error !== null && <p role="alert">{messageOf(error)}</p>}
      {data === undefined && error === null && <p className="late text-muted">Counting…</p>}
      {data !== undefined && <Facts {...{ of, path, onFilter }} profile={data} />}
    </section>
  )
}

interface FactsProps extends Pick<ColumnProfileProps, 'of' | 'onFilter'> {
  readonly path: string
  readonly profile: Profile
}

function Facts({ of, path, profile, onFilter }: FactsProps) {
  const { service } = useSession()
  const { count, missing, distinct, facts } = profile
  const styleOf = useNumberStyles(of, { canRead: true })
  const style = styleOf(path)
  const format = measureFormat(of.objectType, { kind: 'max', of: path, percent: undefined }, style)
  const areDifferent = allDiffer(profile)
  const { data, error } = useQuery(profileValuesQuery(service, of, path, profile))
  const lengths = data?.lengths
  const lines: readonly (readonly [string, string])[] = [
    ['Missing', `${formatCount(missing)} · ${shareOf(missing, count)}`],
    ...(distinct === undefined
      ? []
      : [['Distinct', areDifferent ? 'all values differ' : formatCount(distinct)] as const]),
    ...facts.map(([name, value]) => [name, format(value)] as const),
    ...(lengths === undefined
      ? []
      : [
          [
            'Length',
            lengths.shortest === lengths.longest
              ? `${lengths.longest} characters`
              : `${lengths.shortest} to ${lengths.longest}, median ${lengths.median}`,
          ] as const,
        ]),
  ]
  const values = { of, path, count, onFilter, style }
  return (
    <>
      <p className="label">Percentages are of all {countOf(count, 'object')}.</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 m-0">
        {lines.map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="m-0 text-right tabular-nums">{text}</dd>
          </div>
        ))}
      </dl>
      {error !== null && <p role="alert">{messageOf(error)}</p>}
      {data !== undefined && !areDifferent && (
        <>
          <Values {...values} title="Most frequent" values={data.frequent} />
          <Values {...values} title="Rarest" values={data.rare} />
        </>
      )}
    </>
  )
}

interface ValuesProps extends Omit<FactsProps, 'profile'> {
  readonly title: string
  readonly values: readonly FrequentValue[]
  /** The number of all objects. */
  readonly count: number
  readonly style: Parameters<typeof formatValue>[2]
}

function Values({ of, path, title, values, count: all, style, onFilter }: ValuesProps) {
  if (values.length === 0) return null
  const type = scalarOf(of.objectType, path) ?? 'string'
  const operator = facetOperator(of.objectType, path)
  return (
    <div>
      <h3 className="label font-normal">{title}</h3>
      <ul className="m-0 p-0 list-none">
        {values.map(({ value, count }) => (
          <li key={value}>
            <button
              type="button"
              className="flex items-baseline gap-2 w-full py-0.5 px-1 -mx-1 border-0 rounded-sm bg-transparent text-left cursor-pointer hover:bg-raised"
              title="Filter for this value"
              onClick={() => onFilter([{ field: path, operator, value }])}
            >
              <span className="flex-1 truncate">
                {value === '' ? '(empty text)' : formatValue(value, { type }, style)}
              </span>
              <span className="tabular-nums">{formatCount(count)}</span>
              <span className="w-12 text-right text-muted tabular-nums">{shareOf(count, all)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function shareOf(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (100 * part) / whole
  if (part > 0 && percent < 0.1) return '< 0.1 %'
  return `${percent.toFixed(part === 0 || percent >= 10 ? 0 : 1)} %`
}
