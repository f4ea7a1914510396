/** What the table shows: free text, filters, latest or snapshot. */
import { type FormEvent, useEffect, useState } from 'react'
import { nameOf, type ObjectTypeDefinition, wordsOf } from '../api/ontology.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { Segments } from '../ui/segments.tsx'
import { OPERATOR_NAMES } from '../view/operators.ts'
import type { SetView } from '../view/use-view.ts'
import { type Filter, LAYOUTS, type Layout, type ViewState } from '../view/view-state.ts'
import { pointProperty } from '../view/where.ts'
import { ColumnsForm } from './columns-form.tsx'
import { FilterForm } from './filter-form.tsx'
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

const LAYOUT_NAMES: Readonly<Record<Layout, string>> = {
  table: 'Table',
  pictures: 'Pictures',
  map: 'Map',
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
        <Popup
          label={
            <>
              <Icon name="plus" size={14} /> Filter
            </>
          }
          panelLabel="New filter"
        >
          {(close) => (
            <FilterForm
              objectType={objectType}
              filter={undefined}
              onSave={(filter) => {
                close()
                setView({ filters: [...view.filters, filter] })
              }}
            />
          )}
        </Popup>
        <Popup label="Columns" panelLabel="Columns">
          {() => (
            <ColumnsForm
              objectType={objectType}
              columns={view.columns}
              onChange={(columns) => setView({ columns }, { replace: true })}
            />
          )}
        </Popup>
        <span className={styles.spacer} />
        <Segments
          label="Layout"
          options={pointProperty(objectType) === undefined ? LAYOUTS.slice(0, 2) : LAYOUTS}
          nameOf={(name) => LAYOUT_NAMES[name]}
          value={view.layout}
          onChange={(layout) => setView({ layout })}
        />
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
                objectType={objectType}
                filter={filter}
                onChange={(next) => setView({ filters: view.filters.with(index, next) })}
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

interface PillProps {
  readonly objectType: ObjectTypeDefinition
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly onRemove: () => void
}

/** A filter that opens its editor. One on a property that does not exist can only be removed. */
function Pill({ objectType, filter, onChange, onRemove }: PillProps) {
  const { field, operator, value } = filter
  const isKnown = (field.split('/')[0] ?? '') in objectType.properties
  const text = `${wordsOf(field)} ${OPERATOR_NAMES[operator]} ${value}`.trim()
  return (
    <span className={`${styles.pill} ${isKnown ? '' : styles.unknown}`}>
      {isKnown ? (
        <Popup kind="quiet" className={styles.pillText} label={text} panelLabel={`Filter: ${text}`}>
          {(close) => (
            <FilterForm
              objectType={objectType}
              filter={filter}
              onSave={(next) => {
                close()
                onChange(next)
              }}
            />
          )}
        </Popup>
      ) : (
        <span className={styles.pillText}>{text}: there is no such property</span>
      )}
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
