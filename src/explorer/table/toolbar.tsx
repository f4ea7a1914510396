/** The controls of the table: free text, filters, columns, latest or snapshot. */

import { type ReactNode, useState } from 'react'
import { nameOf } from '../api/ontology.ts'
import { CreateAction } from '../edit/edit-actions.tsx'
import { LoadButton } from '../load/load-button.tsx'
import { TypeButton } from '../load/type-button.tsx'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { Segments } from '../ui/segments.tsx'
import { pointProperty } from '../view/conditions.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import { LAYOUTS, type Layout } from '../view/view-state.ts'
import { ColumnsForm } from './columns-form.tsx'
import { ExportForm } from './export-form.tsx'
import { FilterForm } from './filter-form.tsx'
import { FreeText } from './free-text.tsx'
import { Pills } from './pills.tsx'
import { SavedViews } from './saved-views.tsx'
import type { ViewWalk } from './use-walk.ts'
import { SnapshotLine, VersionSwitch } from './version-switch.tsx'

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
