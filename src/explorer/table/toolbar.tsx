/** What the table shows: free text, filters, latest or snapshot. */
import { type FormEvent, useEffect, useState } from 'react'
import { nameOf, type ObjectTypeDefinition, wordsOf } from '../api/ontology.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import type { SetView } from '../view/use-view.ts'
import type { Filter, ViewState } from '../view/view-state.ts'
import styles from './toolbar.module.css'
import type { ViewWalk } from './use-walk.ts'

export interface ToolbarProps {
  readonly objectType: ObjectTypeDefinition
  readonly view: ViewState
  readonly setView: SetView
  readonly walk: ViewWalk
  readonly isRequestShown: boolean
  readonly onRequestShown: (isShown: boolean) => void
}

export function Toolbar(props: ToolbarProps) {
  const { objectType, view, setView, walk, isRequestShown, onRequestShown } = props
  const { totalCount } = walk.state
  return (
    <div className={styles.toolbar}>
      <div className={styles.line}>
        <h1>{nameOf(objectType)}</h1>
        <span className="data">{totalCount === undefined ? '' : formatCount(totalCount)}</span>
        <FreeText text={view.text} onChange={(text) => setView({ text })} />
        <span className={styles.spacer} />
        <VersionSwitch view={view} setView={setView} startedAtMs={walk.state.startedAtMs} />
        <Button aria-pressed={isRequestShown} onClick={() => onRequestShown(!isRequestShown)}>
          Request
        </Button>
      </div>
      {view.filters.length > 0 && (
        <ul className={styles.pills} aria-label="Filters">
          {view.filters.map((filter, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: filters have no identity of their own
            <li key={index}>
              <Pill
                filter={filter}
                isKnown={(filter.field.split('/')[0] ?? '') in objectType.properties}
                onRemove={() => setView({ filters: view.filters.toSpliced(index, 1) })}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function FreeText({
  text,
  onChange,
}: {
  readonly text: string
  readonly onChange: (text: string) => void
}) {
  const [written, setWritten] = useState(text)
  useEffect(() => setWritten(text), [text])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(written.trim())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers
    <form role="search" className={styles.search} onSubmit={submit}>
      <Icon name="search" size={14} />
      <input
        aria-label="Search all texts"
        placeholder="Search"
        value={written}
        onChange={(event) => setWritten(event.target.value)}
      />
    </form>
  )
}

const OPERATOR_NAMES: Readonly<Record<Filter['operator'], string>> = {
  eq: '=',
  neq: '≠',
  lt: '<',
  lte: '≤',
  gt: '>',
  gte: '≥',
  words: 'has',
  phrase: 'has phrase',
  prefix: 'starts with',
  contains: 'contains',
  empty: 'is missing',
  filled: 'is present',
}

interface PillProps {
  readonly filter: Filter
  readonly isKnown: boolean
  readonly onRemove: () => void
}

function Pill({ filter: { field, operator, value }, isKnown, onRemove }: PillProps) {
  const text = `${wordsOf(field)} ${OPERATOR_NAMES[operator]} ${value}`.trim()
  return (
    <span className={`${styles.pill} ${isKnown ? '' : styles.unknown}`}>
      {text}
      <button type="button" aria-label={`Remove ${text}`} onClick={onRemove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}

interface VersionSwitchProps extends Pick<ToolbarProps, 'view' | 'setView'> {
  readonly startedAtMs: number | undefined
}

/** Latest: each page shows the objects as they are now. Snapshot: all pages show one moment. */
function VersionSwitch({ view, setView, startedAtMs }: VersionSwitchProps) {
  const taken = startedAtMs === undefined ? '' : ` ${new Date(startedAtMs).toLocaleTimeString()}`
  return (
    <fieldset className={styles.switch}>
      <legend className="visually-hidden">Which objects the pages show</legend>
      <button
        type="button"
        aria-pressed={!view.isSnapshot}
        title="Each page shows the objects as they are when it is read."
        onClick={() => setView({ isSnapshot: false })}
      >
        Latest
      </button>
      <button
        type="button"
        aria-pressed={view.isSnapshot}
        className={styles.snapshot}
        title="All pages show the objects as they were at one moment."
        onClick={() => setView({ isSnapshot: true })}
      >
        Snapshot{view.isSnapshot ? taken : ''}
      </button>
    </fieldset>
  )
}
