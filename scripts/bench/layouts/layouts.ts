import type { Layout, LayoutName } from './layout.ts'
import { CLUSTERED, READY, ROWS } from './row-layouts.ts'
import { SEGMENTS } from './segment-layout.ts'

export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  rows: ROWS,
  ready: READY,
  clustered: CLUSTERED,
  segments: SEGMENTS,
}

/** The file of a layout, in the folder of the run. */
export function layoutFile(name: LayoutName): string {
  return `${name}.db`
}
