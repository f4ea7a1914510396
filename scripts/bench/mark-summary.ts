import type { StoreReport } from './measure-store.ts'
import { count } from './table.ts'

/** Which marks a run has missed. */
export interface MarkSummary {
  readonly marks: number
  readonly missed: readonly string[]
}

export function summariseMarks(stores: readonly StoreReport[]): MarkSummary {
  const marks = stores.flatMap(({ store, phases, readers }) => [
    ...phases.flatMap(({ title, ratios }) =>
      ratios
        .filter(({ mark }) => mark !== undefined)
        .map(({ name, pageSize, met }) => ({
          name: `${store}, ${title}, pages of ${count(pageSize)}: ${name}`,
          met,
        })),
    ),
    { name: `${store}: memory with ${readers.readers} readers`, met: readers.met },
  ])
  return { marks: marks.length, missed: marks.filter(({ met }) => !met).map(({ name }) => name) }
}

export function describeMarks({ marks, missed }: MarkSummary): string {
  if (missed.length === 0) return `All ${marks} marks were met.`
  const names = missed.map((name) => `- ${name}`).join('\n')
  return `${missed.length} of ${marks} marks were missed:\n\n${names}`
}
