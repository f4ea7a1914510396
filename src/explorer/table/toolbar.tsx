/** The controls of the table: free text, filters, columns, latest or snapshot. */

import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { nameOf, type ObjectTypeDefinition, wordsOf } from '../api/ontology.ts'
import { CreateAction } from '../edit/edit-actions.tsx'
import { LoadButton, TypeButton } from '../load/load-area.tsx'
import { Button, Icon } from '../ui/button.tsx'
import { Popup } from '../ui/dialog.tsx'
import { CheckField, Segments } from '../ui/fields.tsx'
import { formatCount } from '../ui/format.ts'
import { useNow } from '../ui/use-task.ts'
import { pointProperty } from '../view/conditions.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import { LAYOUTS, type Layout } from '../view/view-state.ts'
import { ExportForm, SavedViews } from './export-form.tsx'
import { FilterForm, Pills } from './filter-form.tsx'
import type { ViewWalk } from './use-walk.ts'

export interface ToolbarProps {
  readonly of: TypeView
  readonly setView: SetView
  readonly walk: ViewWalk
  readonly isRequestShown: boolean
  readonly onRequestShown: (isShown: boolean) => void
  readonly onRestart: () => void
}

const LAYOUT_NAMES: Readonly<Record<Layout, string>> = {
  table: 'Table',
  pictures: 'Pictures',
  map: 'Map',
}

/** The buttons that keys press as well. */
export const TOOL_IDS = { filter: 'tool-filter', columns: 'tool-columns', export: 'tool-export' }

export function Toolbar(props: ToolbarProps) {
  const { of, setView, walk, isRequestShown, onRequestShown, onRestart } = props
  const { ontology, objectType, view } = of
  const { totalCount, startedAtMs, pages } = walk.state
  const [isMoreShown, setMoreShown] = useState(false)
  const moreClasses = isMoreShown
    ? 'contents max-[700px]:order-2 max-[700px]:items-center max-[700px]:gap-2 max-[700px]:flex'
    : 'contents max-[700px]:hidden max-[700px]:order-2 max-[700px]:items-center max-[700px]:gap-2'
  const withIcon = (icon: Parameters<typeof Icon>[0]['name'], text: string): ReactNode => (
    <>
      <Icon name={icon} size={14} />
      <span className="max-[700px]:sr-only">{text}</span>
    </>
  )
  return (
    <div className="grid gap-2 py-2 px-3 border-b border-b-line bg-panel">
      <div className="flex flex-wrap items-center gap-3 max-[700px]:gap-2 max-[700px]:[&_button]:px-2.25 max-[700px]:*:[fieldset]:order-1">
        <h1 className="max-[700px]:min-w-0 max-[700px]:truncate">{nameOf(objectType)}</h1>
        <span className="data max-[700px]:flex-1">
          {totalCount === undefined ? '' : formatCount(totalCount)}
        </span>
        <FreeText text={view.text} onChange={(text) => setView({ text })} />
        <Popup id={TOOL_IDS.filter} label={withIcon('plus', 'Filter')} panelLabel="New filter">
          {(close) => (
            <FilterForm
              of={of}
              filter={undefined}
              onSave={(filter) => {
                close()
                setView({ filters: [...view.filters, filter] })
              }}
            />
          )}
        </Popup>
        <Popup id={TOOL_IDS.columns} label={withIcon('columns', 'Columns')} panelLabel="Columns">
          {() => (
            <ColumnsForm
              objectType={objectType}
              columns={view.columns}
              onChange={(columns) => setView({ columns }, { replace: true })}
            />
          )}
        </Popup>
        {/* On a phone, the tools that are used less are shown on demand. */}
        <Button
          className="hidden max-[700px]:inline-flex"
          aria-label="More tools"
          aria-expanded={isMoreShown}
          onClick={() => setMoreShown(!isMoreShown)}
        >
          <Icon name="more" size={14} />
        </Button>
        <div className={moreClasses}>
          <Popup id={TOOL_IDS.export} label={withIcon('download', 'Export')} panelLabel="Export">
            {(close) => (
              <ExportForm of={of} count={totalCount} version={pages[0]?.version} onDone={close} />
            )}
          </Popup>
          <Popup label={withIcon('bookmark', 'Views')} panelLabel="Saved views">
            {(close) => <SavedViews suggestion={nameOf(objectType)} onDone={close} />}
          </Popup>
          <CreateAction address={{ ontology, objectType }} />
          <LoadButton isSmall />
          <TypeButton ontology={ontology} objectType={objectType} />
        </div>
        <span className="flex-1 max-[700px]:hidden" />
        <Segments
          label="Layout"
          options={pointProperty(objectType) === undefined ? LAYOUTS.slice(0, 2) : LAYOUTS}
          nameOf={(name) => LAYOUT_NAMES[name]}
          value={view.layout}
          onChange={(layout) => setView({ layout })}
        />
        <div className={moreClasses}>
          <VersionSwitch isSnapshot={view.isSnapshot} setView={setView} />
          <Button aria-pressed={isRequestShown} onClick={() => onRequestShown(!isRequestShown)}>
            <span className="hidden max-[700px]:inline-flex">
              <Icon name="code" size={14} />
            </span>
            <span className="max-[700px]:sr-only">Request</span>
          </Button>
        </div>
      </div>
      <Pills of={of} setView={setView} />
      {view.isSnapshot && !walk.isStale && (
        <SnapshotLine takenAtMs={startedAtMs} version={pages[0]?.version} onRenew={onRestart} />
      )}
    </div>
  )
}

interface FreeTextProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Searches all texts of the objects. */
function FreeText({ text, onChange }: FreeTextProps) {
  const [written, setWritten] = useState(text)
  useEffect(() => setWritten(text), [text])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(written.trim())
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers
    <form
      role="search"
      className="flex flex-[1_1_140px] min-w-35 max-w-60 items-center gap-1.5 h-8 py-0 px-2 border border-edge rounded-md focus-within:outline-2 focus-within:outline-accent max-[700px]:basis-[45%] max-[700px]:max-w-none max-[700px]:order-1"
      onSubmit={submit}
    >
      <Icon name="search" size={14} />
      <input
        className="flex-1 min-w-0 border-0 bg-transparent text-base outline-none"
        aria-label="Search all texts"
        placeholder="Search all texts"
        value={written}
        onChange={(event) => setWritten(event.target.value)}
      />
      {text !== '' && (
        <button
          type="button"
          className="inline-flex p-1 border-0 bg-transparent cursor-pointer"
          aria-label="Clear the search"
          onClick={() => onChange('')}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </form>
  )
}

interface VersionSwitchProps {
  readonly isSnapshot: boolean
  readonly setView: SetView
}

const VERSIONS = {
  latest: { name: 'Latest', title: 'Each page shows the objects as they are when it is read.' },
  snapshot: { name: 'Snapshot', title: 'All pages show the objects as they were at one moment.' },
} as const

function VersionSwitch({ isSnapshot, setView }: VersionSwitchProps) {
  return (
    <Segments
      label="Which objects the pages show"
      options={['latest', 'snapshot'] as const}
      nameOf={(version) => VERSIONS[version].name}
      titleOf={(version) => VERSIONS[version].title}
      value={isSnapshot ? 'snapshot' : 'latest'}
      onChange={(version) => setView({ isSnapshot: version === 'snapshot' })}
    />
  )
}

interface SnapshotLineProps {
  /** Undefined until the first page has arrived. */
  readonly takenAtMs: number | undefined
  readonly version: number | undefined
  readonly onRenew: () => void
}

/** Says what the snapshot is, when it was taken, and how old it is. */
function SnapshotLine({ takenAtMs, version, onRenew }: SnapshotLineProps) {
  const now = useNow()
  if (takenAtMs === undefined) return null
  const minutes = Math.floor((now - takenAtMs) / 60_000)
  return (
    <p className="flex flex-wrap items-center gap-2 -mx-3 mt-0 -mb-2 py-0 px-3 border-l-3 border-l-snapshot bg-snapshot-bg text-snapshot text-sm">
      <span>
        Snapshot of {new Date(takenAtMs).toLocaleTimeString()}
        {version === undefined ? '' : `, version ${version}`},{' '}
        {minutes < 1 ? 'less than a minute old' : `${minutes} min old`}. All pages show that moment;
        later changes are not in it.
      </span>
      <Button kind="quiet" className="min-h-7 text-inherit text-sm underline" onClick={onRenew}>
        Take a new one
      </Button>
    </p>
  )
}

interface ColumnsFormProps {
  readonly objectType: ObjectTypeDefinition
  /** Undefined shows every property. */
  readonly columns: readonly string[] | undefined
  readonly onChange: (columns: readonly string[] | undefined) => void
}

/** Chooses the properties that the table shows. The key is always shown. */
function ColumnsForm({ objectType, columns, onChange }: ColumnsFormProps) {
  const names = Object.keys(objectType.properties)
  const shown = columns ?? names
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name]
    onChange(next.length === names.length ? undefined : next)
  }
  return (
    <fieldset className="grid gap-1 max-h-90 overflow-auto">
      <legend className="visually-hidden">Columns</legend>
      {names.map((name) => (
        <CheckField
          key={name}
          label={objectType.properties[name]?.displayName ?? wordsOf(name)}
          isOn={name === objectType.primaryKey || shown.includes(name)}
          isFixed={name === objectType.primaryKey}
          onChange={() => toggle(name)}
        />
      ))}
    </fieldset>
  )
}
