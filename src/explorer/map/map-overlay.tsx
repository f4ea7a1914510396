/** The layer over the canvas, which changes without drawing the map again. */
import { countOf } from '../../contract/count-of.ts'
import { keyText, type ObjectRecord } from '../api/ontology.ts'
import { messageOf } from '../api/service.ts'
import { Button } from '../ui/controls.tsx'
import { Segments, Select } from '../ui/fields.tsx'
import { nameOfPath } from '../view/paths.ts'
import type { TypeView } from '../view/type-view.ts'
import type { SetView } from '../view/use-view.ts'
import type { Box } from '../view/view-state.ts'
import { type Camera, type Point, toScreen, zoomAt } from './camera.ts'
import { colourable } from './colours.ts'
import { type DragMode, ZOOM_STEP } from './use-map-input.ts'
import type { Counted, LegendPart } from './use-map-objects.ts'

export interface BoxOutlineProps {
  readonly kind: 'box' | 'filter'
  readonly camera: Camera
  readonly size: Point
  readonly box: Box
}

export function BoxOutline({ kind, camera, size, box }: BoxOutlineProps) {
  const [west, south, east, north] = box
  const [left, top] = toScreen(camera, size, [west, north])
  const [right, bottom] = toScreen(camera, size, [east, south])
  const style = { left, top, width: right - left, height: bottom - top }
  return (
    <div
      className={`absolute border-[1.5px] border-accent rounded-xs pointer-events-none ${kind === 'box' ? 'bg-accent/14' : 'border-dashed'}`}
      style={style}
      aria-hidden="true"
    />
  )
}

export function PointName({ at, record }: { readonly at: Point; readonly record: ObjectRecord }) {
  const [left, top] = at
  return (
    <div
      className="absolute max-w-65 py-0.5 px-2 border border-line rounded-md bg-panel text-sm leading-5 pointer-events-none [transform:translate(10px,-50%)]"
      style={{ left, top }}
      aria-hidden="true"
    >
      {record.title ?? keyText(record.key)}
    </div>
  )
}

export interface MapControlsProps {
  readonly camera: Camera
  readonly size: Point
  readonly setCamera: (camera: Camera) => void
  readonly mode: DragMode
  readonly setMode: (mode: DragMode) => void
  readonly of: TypeView
  readonly setView: SetView
}

export function MapControls(props: MapControlsProps) {
  const { camera, size, setCamera, mode, setMode, of, setView } = props
  const colours = colourable(of.objectType)
  const zoom = (factor: number) =>
    setCamera(zoomAt(camera, size, [size[0] / 2, size[1] / 2], factor))
  return (
    <div className="absolute right-3 top-3 grid gap-2 justify-items-end">
      <Segments
        label="Dragging"
        options={{ box: 'Draw a box', move: 'Move' }}
        value={mode}
        onChange={setMode}
      />
      {colours.length > 0 && (
        <Select
          label="Colour by"
          className="h-8 max-w-50 cursor-pointer"
          value={of.view.colour ?? ''}
          options={[
            ['', 'Colour by…'],
            ...colours.map((path) => [path, nameOfPath(of.objectType, path)] as const),
          ]}
          onChange={(colour) => setView({ colour: colour || undefined }, { replace: true })}
        />
      )}
      <div className="grid">
        <Button
          className="w-8 px-0 border-b-0 rounded-b-none"
          aria-label="Zoom in"
          onClick={() => zoom(ZOOM_STEP)}
        >
          +
        </Button>
        <Button
          className="w-8 px-0 rounded-t-none"
          aria-label="Zoom out"
          onClick={() => zoom(1 / ZOOM_STEP)}
        >
          −
        </Button>
      </div>
    </div>
  )
}

export interface MapNotesProps {
  readonly counted: Counted
  readonly legend: { readonly title: string; readonly parts: readonly LegendPart[] } | undefined
  /** The objects that are shown one by one. */
  readonly records: readonly ObjectRecord[]
  readonly isBoxed: boolean
  readonly onWorld: () => void
  readonly onVisible: () => void
  readonly onPeek: (key: string) => void
}

export function MapNotes(props: MapNotesProps) {
  const { counted, legend, records, isBoxed, onWorld, onVisible, onPeek } = props
  const { error, total } = counted
  return (
    <div className="absolute left-3 right-3 bottom-3 flex flex-wrap items-end gap-2 pointer-events-none *:pointer-events-auto">
      <p
        className={`py-1.5 px-2.5 border border-line rounded-md bg-panel text-sm leading-4 ${total === undefined ? 'late' : ''}`}
        role={error === null ? 'status' : 'alert'}
      >
        {error === null ? describe(counted) : messageOf(error)}
      </p>
      {legend !== undefined && (
        <ul
          className="flex flex-wrap gap-x-3 gap-y-0.5 m-0 py-1.5 px-2.5 border border-line rounded-md bg-panel text-sm leading-4 list-none"
          aria-label={legend.title}
        >
          <li className="text-muted">{legend.title}:</li>
          {legend.parts.map(({ label, colour }) => (
            <li key={label} className="flex items-center gap-1.5">
              <i
                className="flex-none size-2.5 rounded-full"
                style={{ background: colour }}
                aria-hidden="true"
              />
              {label}
            </li>
          ))}
        </ul>
      )}
      {records.length > 0 && (
        <details className="py-1.5 px-2.5 border border-line rounded-md bg-panel text-sm leading-4">
          <summary className="cursor-pointer">List them</summary>
          <ul className="max-h-50 mt-1.5 mb-0 mx-0 p-0 overflow-auto list-none">
            {records.map((record) => (
              <li key={keyText(record.key)}>
                <button
                  type="button"
                  className="w-full py-0.5 px-1 border-0 bg-transparent text-accent text-left cursor-pointer"
                  onClick={() => onPeek(keyText(record.key))}
                >
                  {record.title ?? keyText(record.key)}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Button onClick={onVisible}>Filter to this part</Button>
      {isBoxed && <Button onClick={onWorld}>Show the whole world</Button>}
    </div>
  )
}

function describe({ total, isCut }: Counted): string {
  if (total === undefined) return 'Counting…'
  const shown = `${countOf(total, 'object')} on this part of the map`
  return isCut ? `${shown}, or more: zoom in to see all shapes` : shown
}
