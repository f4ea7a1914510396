/** Two objects, or two states of one object, side by side. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { keyText, type ObjectRecord, type PropertyDefinition, wordsOf } from '../api/ontology.ts'
import {
  type ObjectAddress,
  objectPath,
  objectQuery,
  stateQuery,
} from '../queries/object-queries.ts'
import { useNumberStyles } from '../queries/use-number-styles.ts'
import { useSession } from '../session/session.tsx'
import { Button, ErrorNote } from '../ui/controls.tsx'
import type { NumberStyle, StyledType } from '../ui/format-value.ts'
import { changesOf, type Difference, differencesOf, type Values } from '../view/differences.ts'
import { Value } from './value.tsx'

const KIND_NAMES = { same: '', changed: 'changed', added: 'added', removed: 'removed' } as const

interface CompareObjectsProps {
  readonly address: ObjectAddress
  readonly record: ObjectRecord
  readonly otherKey: string
}

export function CompareObjects({ address, record, otherKey: key }: CompareObjectsProps) {
  const { service } = useSession()
  const other = { ...address, key }
  const { data, error } = useQuery(objectQuery(service, other))
  if (data === undefined || error !== null) return <Waiting error={error} />
  const nameOf = ({ title, key }: ObjectRecord) => title ?? keyText(key)
  return (
    <DifferenceTable
      of={address}
      before={record.properties}
      after={data.record.properties}
      beforeName={nameOf(record)}
      afterName={<Link to={objectPath(other)}>{nameOf(data.record)}</Link>}
    />
  )
}

interface CompareStatesProps {
  readonly address: ObjectAddress
  readonly latest: ObjectRecord
  readonly version: number
  readonly onRefresh: () => void
}

export function CompareStates({ address, latest, version, onRefresh }: CompareStatesProps) {
  const { service } = useSession()
  const { data, error } = useQuery(stateQuery(service, address, version))
  if (data === undefined || error !== null) return <Waiting error={error} />
  const before = data.record?.properties ?? {}
  const again = <Button onClick={onRefresh}>Read the latest again</Button>
  if (changesOf(address.objectType, before, latest.properties).length === 0) {
    return (
      <div className="flex flex-wrap gap-y-2 gap-x-4 items-center justify-between mb-4 py-2 px-3 border-l-3 border-l-snapshot rounded-md bg-snapshot-bg text-base">
        <p role="status">Nothing changed since the snapshot of version {version}.</p>
        {again}
      </div>
    )
  }
  return (
    <DifferenceTable
      of={address}
      before={before}
      after={latest.properties}
      beforeName={`Snapshot, version ${version}`}
      afterName="Latest"
      isSnapshot
      action={again}
    />
  )
}

function Waiting({ error }: { readonly error: Error | null }) {
  if (error !== null) return <ErrorNote error={error} />
  return <p className="late py-6 px-0 text-muted">Loading…</p>
}

const CELL = 'py-1.5 px-3 wrap-anywhere text-left align-baseline'

interface DifferenceTableProps {
  readonly of: StyledType
  readonly before: Values
  readonly after: Values
  readonly beforeName: string
  readonly afterName: ReactNode
  readonly isSnapshot?: boolean
  readonly action?: ReactNode
}

function DifferenceTable(props: DifferenceTableProps) {
  const { of, before, after, beforeName, afterName, isSnapshot = false, action } = props
  const { objectType } = of
  const styleOf = useNumberStyles(of, { canRead: false })
  const differences = differencesOf(objectType, before, after)
  const count = differences.filter(({ kind }) => kind !== 'same').length
  return (
    <section className={isSnapshot ? 'mb-4' : undefined} aria-label="What differs">
      <div className="flex flex-wrap gap-y-2 gap-x-4 items-center justify-between mb-3">
        <p aria-live="polite">
          {count === 0
            ? 'Nothing differs.'
            : `${formatCount(count)} of ${formatCount(differences.length)} properties differ.`}
        </p>
        {action}
      </div>
      <div
        className={`overflow-x-auto border border-line rounded-lg bg-panel ${isSnapshot ? 'border-l-3 border-l-snapshot' : ''}`}
      >
        <table className="w-full min-[600px]:min-w-120 border-collapse table-fixed">
          <thead>
            <tr>
              {['Property', beforeName, afterName].map((name, index) => (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay where they are
                  key={index}
                  scope="col"
                  className={`${CELL} text-base font-semibold ${index === 0 ? 'w-28 min-[600px]:w-45' : ''}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="data">
            {differences.map((difference) => (
              <Row
                key={difference.property}
                difference={difference}
                definition={objectType.properties[difference.property]}
                style={styleOf(difference.property)}
                isSnapshot={isSnapshot}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Row(props: {
  readonly difference: Difference
  readonly definition: PropertyDefinition | undefined
  readonly style: NumberStyle
  readonly isSnapshot: boolean
}) {
  const { difference, definition, style, isSnapshot } = props
  const { property, before, after, kind } = difference
  if (definition === undefined) return null
  const tone = kind === 'same' ? 'text-muted' : isSnapshot ? 'bg-snapshot-bg' : 'bg-accent-bg'
  return (
    <tr className="border-t border-t-line">
      <th scope="row" className={`label font-normal ${CELL}`}>
        {definition.displayName ?? wordsOf(property)}
        {kind !== 'same' && (
          // Two objects differ; only states of one object change.
          <span className={isSnapshot ? 'block text-snapshot' : 'sr-only'}>
            {isSnapshot ? KIND_NAMES[kind] : 'differs'}
          </span>
        )}
      </th>
      {[before, after].map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay where they are
        <td key={index} className={`${CELL} ${tone}`}>
          <Value value={value} type={definition} style={style} />
        </td>
      ))}
    </tr>
  )
}
