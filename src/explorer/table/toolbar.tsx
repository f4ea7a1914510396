/** The controls of the table: free text, filters, columns, latest or snapshot. */
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { formatCount } from '../../contract/count-of.ts'
import { nameOf, nameOfProperty } from '../api/ontology.ts'
import { CreateAction } from '../edit/edit-actions.tsx'
import { Facets } from '../facets/facets.tsx'
import { FilterForm } from '../filters/filter-form.tsx'
import { Pills } from '../filters/pills.tsx'
import { LoadButton, TypeButton } from '../load/load-area.tsx'
import { useSession } from '../session/session.tsx'
import { Button, Icon, IconButton, type IconName } from '../ui/controls.tsx'
import { Popup } from '../ui/dialog.tsx'
import { CheckField, Segments, submits } from '../ui/fields.tsx'
import { useNotice, useNow, useSettled } from '../ui/hooks.ts'
import { lazyView } from '../ui/lazy-part.tsx'
import { placeProperty } from '../view/type-view.ts'
import type { Layout } from '../view/view-state.ts'
import { columnsToKeep, shownNames } from './columns.ts'
import { ExportForm } from './export-form.tsx'
import { TOOL_IDS, useObjects } from './use-objects.ts'

const ViewsPanel = lazyView(
  'views',
  async () => (await import('../share/views-panel.tsx')).ViewsPanel,
)

/** The layouts of types without positions. */
const FLAT = { table: 'Table', charts: 'Charts' } as Readonly<Record<Layout, string>>

const VERSIONS = {
  latest: 'Each page shows the objects as they are when it is read.',
  snapshot: 'All pages show the objects as they were at one moment.',
} as const

export function Toolbar() {
  const { of, counted, canCount, view, setView, walk } = useObjects()
  const filtered = { of: counted, canCount, view, setView }
  const { totalCount } = walk.state
  const [isMoreShown, setMoreShown] = useState(false)
  const more = `contents max-[700px]:order-2 max-[700px]:items-center max-[700px]:flex-wrap max-[700px]:gap-2 ${isMoreShown ? 'max-[700px]:flex' : 'max-[700px]:hidden'}`
  return (
    <div className="grid gap-2 py-2 px-3 border-b border-b-line bg-panel">
      <div className="flex flex-wrap items-center gap-3 max-[700px]:gap-2 max-[700px]:[&_button]:px-2.25 max-[700px]:*:[fieldset]:order-1">
        <h1 className="max-[700px]:min-w-0 max-[700px]:truncate">{nameOf(of.objectType)}</h1>
        <span className="data max-[700px]:flex-1">
          {totalCount === undefined ? '' : formatCount(totalCount)}
        </span>
        <FreeText />
        <Popup id={TOOL_IDS.filter} label={withIcon('plus', 'Filter')} panelLabel="New filter">
          {(close) => <FilterForm {...filtered} close={close} />}
        </Popup>
        <Popup id={TOOL_IDS.columns} label={withIcon('columns', 'Columns')} panelLabel="Columns">
          {() => <ColumnsForm />}
        </Popup>
        {/* On a phone, the tools that are used less are shown on demand. */}
        <IconButton
          kind="plain"
          className="hidden max-[700px]:inline-flex"
          icon="more"
          label="More tools"
          aria-expanded={isMoreShown}
          onClick={() => setMoreShown(!isMoreShown)}
        />
        <div className={more}>
          <MoreTools />
        </div>
        <span className="flex-1 max-[700px]:hidden" />
        <Segments
          label="Layout"
          options={placeProperty(of.objectType) === undefined ? FLAT : { ...FLAT, map: 'Map' }}
          value={view.layout}
          onChange={(layout) => setView({ layout })}
        />
        <div className={more}>
          <VersionTools />
        </div>
      </div>
      <Pills {...filtered} />
      {view.isSnapshot && !walk.isStale && <SnapshotLine />}
    </div>
  )
}

/** The label of a tool: its name on wide screens, and for screen readers. */
function withIcon(icon: IconName, text: string): ReactNode {
  return (
    <>
      <Icon name={icon} size={14} />
      <span className="max-[700px]:sr-only">{text}</span>
    </>
  )
}

/** The label of a tool that a phone shows on demand, with its name: fingers cannot ask for it. */
function withName(icon: IconName, text: string): ReactNode {
  return (
    <>
      <Icon name={icon} size={14} /> {text}
    </>
  )
}

function MoreTools() {
  const { of } = useObjects()
  const { ontology, objectType } = of
  const { isViewOnly } = useSession()
  const [notice, showNotice] = useNotice()
  return (
    <>
      <span className="hidden max-[900px]:contents">
        <Popup label={withName('filter', 'Values')} panelLabel="Values and their counts">
          {() => (
            <>
              <Values className="peer w-60 max-h-[60vh]" />
              <p className="label hidden peer-empty:block">Every object has values of its own.</p>
            </>
          )}
        </Popup>
      </span>
      <Popup id={TOOL_IDS.export} label={withName('download', 'Export')} panelLabel="Export">
        {(close) => <ExportForm onDone={close} />}
      </Popup>
      {!isViewOnly && (
        <Popup label={withName('bookmark', 'Views')} panelLabel="Saved views">
          {(close) => (
            <ViewsPanel
              of={of}
              onDone={(text) => {
                close()
                showNotice(text)
              }}
            />
          )}
        </Popup>
      )}
      <span role="status" className="label empty:hidden">
        {notice}
      </span>
      <CreateAction address={{ ontology, objectType }} />
      <LoadButton isSmall />
      <TypeButton ontology={ontology} objectType={objectType} />
    </>
  )
}

function VersionTools() {
  const { view, setView, isRequestShown, setRequestShown } = useObjects()
  return (
    <>
      <Segments
        label="Which objects the pages show"
        options={{ latest: 'Latest', snapshot: 'Snapshot' }}
        titles={VERSIONS}
        value={view.isSnapshot ? 'snapshot' : 'latest'}
        onChange={(version) => setView({ isSnapshot: version === 'snapshot' })}
      />
      <Button aria-pressed={isRequestShown} onClick={() => setRequestShown(!isRequestShown)}>
        Request
      </Button>
    </>
  )
}

/** The most frequent values of the properties: beside the table, or in a popup. */
export function Values({ className }: { readonly className: string }) {
  const { counted, setView, canCount, firstRows, linked } = useObjects()
  return (
    <Facets
      {...{ setView, canCount, className }}
      of={counted}
      rows={firstRows}
      without={linked?.filter.field}
    />
  )
}

/** Searches all texts of the objects, while one types. */
function FreeText() {
  const { view, setView } = useObjects()
  const [written, setWritten] = useState(view.text)
  const sent = useRef(view.text)
  const send = (text: string) => {
    if (text === view.text) return
    sent.current = text
    // All that is typed is one step back.
    setView({ text }, { replace: view.text !== '' })
  }
  const settled = useSettled(written)
  const sendSettled = useEffectEvent(() => send(settled.trim()))
  // biome-ignore lint/correctness/useExhaustiveDependencies: a text is sent once it has settled
  useEffect(() => sendSettled(), [settled])
  // A text that was not typed here, such as that of a saved view. What is typed goes on meanwhile.
  useEffect(() => {
    if (view.text !== sent.current) setWritten(view.text)
    sent.current = view.text
  }, [view.text])
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers
    <form
      role="search"
      className="flex flex-[1_1_140px] min-w-35 max-w-60 items-center gap-1.5 h-8 py-0 px-2 border border-edge rounded-md focus-within:outline-2 focus-within:outline-accent max-[700px]:basis-[45%] max-[700px]:max-w-none max-[700px]:order-1"
      onSubmit={submits(() => send(written.trim()))}
    >
      <Icon name="search" size={14} />
      <input
        className="flex-1 min-w-0 border-0 bg-transparent text-base outline-none"
        aria-label="Search all texts"
        placeholder="Search all texts"
        value={written}
        onChange={(event) => setWritten(event.target.value)}
      />
      {view.text !== '' && (
        <button
          type="button"
          className="inline-flex p-1 border-0 bg-transparent cursor-pointer"
          aria-label="Clear the search"
          onClick={() => setView({ text: '' })}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </form>
  )
}

/** Says what the snapshot is, when it was taken, and how old it is. */
function SnapshotLine() {
  const { walk, restart } = useObjects()
  const { startedAtMs, pages } = walk.state
  const version = pages[0]?.version
  const now = useNow()
  if (startedAtMs === undefined) return null
  const minutes = Math.floor((now - startedAtMs) / 60_000)
  return (
    <p className="flex flex-wrap items-center gap-2 -mx-3 mt-0 -mb-2 py-0 px-3 border-l-3 border-l-snapshot bg-snapshot-bg text-snapshot text-sm">
      <span>
        Snapshot of {new Date(startedAtMs).toLocaleTimeString()}
        {version === undefined ? '' : `, version ${version}`},{' '}
        {minutes < 1 ? 'less than a minute old' : `${minutes} min old`}. All pages show that moment;
        later changes are not in it.
      </span>
      <Button
        kind="quiet"
        className="min-h-7 px-0 text-inherit text-sm underline"
        onClick={restart}
      >
        Take a new one
      </Button>
    </p>
  )
}

/** Chooses the properties that the table shows. The key is always shown. */
function ColumnsForm() {
  const { of, view, setView } = useObjects()
  const { properties, primaryKey } = of.objectType
  const names = Object.keys(properties)
  const shown = shownNames(of.objectType, view)
  const toggle = (name: string) => {
    const next = shown.includes(name) ? shown.filter((each) => each !== name) : [...shown, name]
    setView({ columns: columnsToKeep(of.objectType, next) }, { replace: true })
  }
  return (
    <fieldset className="grid gap-1 max-h-90 m-0 p-0 border-0 overflow-auto">
      <legend className="sr-only">Columns</legend>
      {names.map((name) => (
        <CheckField
          key={name}
          label={nameOfProperty(name, properties[name])}
          isOn={shown.includes(name)}
          isFixed={name === primaryKey}
          onChange={() => toggle(name)}
        />
      ))}
    </fieldset>
  )
}
