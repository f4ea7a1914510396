/** The layer over the canvas, which changes without drawing the map again. */
import { keyText, type ObjectRecord } from '../api/records.ts'
import type { Box } from '../view/view-state.ts'
import { type Camera, type Point, toScreen } from './camera.ts'
import styles from './map.module.css'

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
  return <div className={styles[kind]} style={style} aria-hidden="true" />
}

export function PointName({ at, record }: { readonly at: Point; readonly record: ObjectRecord }) {
  const [left, top] = at
  return (
    <div className={styles.name} style={{ left, top }} aria-hidden="true">
      {record.title ?? keyText(record.key)}
    </div>
  )
}
