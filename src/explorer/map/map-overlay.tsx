/** The layer over the canvas, which changes without drawing the map again. */
import { keyText, type ObjectRecord } from '../api/records.ts'
import type { Box } from '../view/view-state.ts'
import { type Camera, type Point, toScreen } from './camera.ts'

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
      className={
        kind === 'box'
          ? 'absolute border-[1.5px] border-accent rounded-xs pointer-events-none bg-accent/14'
          : 'absolute border-[1.5px] border-accent rounded-xs pointer-events-none border-dashed'
      }
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
