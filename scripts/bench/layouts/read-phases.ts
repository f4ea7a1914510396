import type { Revision } from '../../../src/contract/revisions.ts'
import { readBody } from '../http-client.ts'
import type { MeasuredProcess } from '../processes.ts'
import type { RoundCase } from '../rounds.ts'
import type { PagePath } from './page-path.ts'
import { writePath } from './page-path.ts'

/** Which pages are read: others each time, from all over the table. */

export const PAGE_SIZES = [100, 1000] as const

export interface PageCase extends RoundCase {
  readonly name: string
  readonly layout: PagePath['layout']
  readonly pageSize: number
  /** The name of the case that this one is compared with. */
  readonly beside: string
}

export const CEILING = 'constant page'
export const ROWS_1 = 'rows, 1.0'
const ROWS_2 = 'rows, 2.0'
const ROWS_SNAPSHOT = 'rows, snapshot'

interface CaseWish {
  readonly name: string
  readonly layout: PagePath['layout']
  readonly beside: string
  readonly revision?: Revision
  readonly version?: number
  /** By how many objects the pages start behind the beginning of a segment. */
  readonly shift?: number
}

const FRESH: readonly CaseWish[] = [
  { name: CEILING, layout: 'constant', beside: ROWS_1 },
  { name: ROWS_1, layout: 'rows', beside: ROWS_1 },
  { name: 'ready records, 1.0', layout: 'ready', beside: ROWS_1 },
  { name: 'clustered rows, 1.0', layout: 'clustered', beside: ROWS_1 },
  { name: 'segments, 1.0, whole ones', layout: 'segments', beside: ROWS_1 },
  { name: 'segments, 1.0, cut ones', layout: 'segments', shift: 37, beside: ROWS_1 },
  { name: ROWS_2, layout: 'rows', revision: '2.0', beside: ROWS_2 },
  { name: 'segments, 2.0', layout: 'segments', revision: '2.0', beside: ROWS_2 },
]

function updatedCases(version: number): readonly CaseWish[] {
  return [
    { name: CEILING, layout: 'constant', beside: ROWS_1 },
    { name: ROWS_1, layout: 'rows', beside: ROWS_1 },
    { name: 'clustered rows, 1.0', layout: 'clustered', beside: ROWS_1 },
    { name: 'segments, 1.0, whole ones', layout: 'segments', beside: ROWS_1 },
    { name: ROWS_SNAPSHOT, layout: 'rows', version, beside: ROWS_SNAPSHOT },
    { name: 'ready records, snapshot', layout: 'ready', version, beside: ROWS_SNAPSHOT },
    { name: 'clustered rows, snapshot', layout: 'clustered', version, beside: ROWS_SNAPSHOT },
    { name: 'segments, snapshot', layout: 'segments', version, beside: ROWS_SNAPSHOT },
  ]
}

export function freshPages(server: MeasuredProcess, objects: number): readonly PageCase[] {
  return toCases(server, objects, FRESH)
}

/** After updates; the snapshot is from before them. */
export function updatedPages(
  server: MeasuredProcess,
  objects: number,
  version: number,
): readonly PageCase[] {
  return toCases(server, objects, updatedCases(version))
}

/** A prime, so that every page has its turn. */
const STRIDE = 7919

function toCases(
  server: MeasuredProcess,
  objects: number,
  wishes: readonly CaseWish[],
): readonly PageCase[] {
  return PAGE_SIZES.flatMap((pageSize) => {
    const pages = Math.floor(objects / pageSize) - 1
    return wishes.map(({ name, layout, beside, revision = '1.0', version, shift = 0 }) => {
      let asked = 0
      const next = () => {
        asked += STRIDE
        const first = (asked % pages) * pageSize + shift
        const path = writePath({ layout, revision, version, first, objects: pageSize })
        return { method: 'GET', path } as const
      }
      return { name, layout, pageSize, beside, server, next }
    })
  })
}

/** A layout that gives other bytes than the rows would be measured for nothing. */
export async function checkPages(
  server: MeasuredProcess,
  objects: number,
  wishes: readonly PageCheck[],
): Promise<void> {
  for (const { layout, revision, version } of wishes) {
    for (const first of [0, 37, Math.floor(objects / 2), objects - 1037]) {
      const ask = (of: PagePath['layout']) => {
        const path = writePath({ layout: of, revision, version, first, objects: 1000 })
        return readBody(server, { method: 'GET', path })
      }
      const [wanted, found] = [await ask('rows'), await ask(layout)]
      if (!wanted.equals(found)) throw new Error(`${layout} gives another page from ${first} on`)
    }
  }
}

export type PageCheck = Pick<PagePath, 'layout' | 'revision' | 'version'>
