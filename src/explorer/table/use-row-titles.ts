import { useMemo } from 'react'
import type { OntologyDefinition } from '../api/ontology.ts'
import type { LinkedKey, Titles } from '../queries/linked-titles.ts'
import { useLinkedTitles } from '../queries/use-linked-titles.ts'
import type { Column } from './columns.ts'
import type { RowWindow } from './scroll-space.ts'
import type { ViewWalk } from './use-walk.ts'

/** Rows whose foreign keys are collected at once, so that scrolling a row asks for nothing. */
const BLOCK = 100

/** Returns the titles of the objects that the rows on the screen link to. */
export function useRowTitles(
  ontology: OntologyDefinition,
  columns: readonly Column[],
  { walk, state: { rowCount } }: ViewWalk,
  { first, end }: RowWindow,
): Titles {
  // The key of a row links to the object of the row itself.
  const linked = useMemo(() => columns.slice(1).filter(({ link }) => link !== undefined), [columns])
  const from = Math.floor(first / BLOCK) * BLOCK
  const to = Math.min(rowCount, Math.ceil(end / BLOCK) * BLOCK)
  const wanted = useMemo(() => {
    if (linked.length === 0) return []
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
    return rows.flatMap((row) => keysOf(linked, walk.record(row)?.properties))
  }, [linked, walk, from, to])
  return useLinkedTitles(ontology, wanted)
}

function keysOf(
  columns: readonly Column[],
  properties: Readonly<Record<string, unknown>> | undefined,
): LinkedKey[] {
  return columns.flatMap(({ name, link }) => {
    const value = properties?.[name]
    return link === undefined || value === undefined || value === null
      ? []
      : [{ type: link.type, key: String(value) }]
  })
}
