/** The import of a file into an empty store, which is compared with other loads of the same objects. */
import { globSync, statSync } from 'node:fs'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { runSql } from '../../test/support/postgres.ts'
import { define } from '../measure/parts.ts'
import type { Cost } from '../measure/processes.ts'
import { count, showProgress, type Table } from '../measure/report.ts'
import type { Service, ServiceOptions, Workbench } from '../measure/workbench.ts'

/** What a load of all objects cost; NaN where it cannot be measured. */
export interface Load extends Pick<Cost, 'seconds' | 'cpuMicros'> {
  readonly name: string
  /** The size of the files. */
  readonly bytes: number
}

interface ImportOptions extends ServiceOptions {
  readonly name?: string
  readonly file: string
  /** Undefined if the type is inferred from the file. */
  readonly definition?: OntologyDefinition
  /** The arguments that name the type. */
  readonly type: readonly string[]
}

export async function measureImport(
  bench: Workbench,
  { name = 'oqs import', file, definition, type, ...options }: ImportOptions,
): Promise<Load & { readonly service: Service; readonly store: string }> {
  const store = await bench.createStore('loaded')
  const service = await bench.startService({ ...options, store })
  if (definition !== undefined) await define(service, definition)
  showProgress(`${name}: importing`)
  const before = await storedBytes(store)
  const args = ['import', file, ...type, ...(definition === undefined ? ['--infer'] : [])]
  const { seconds, cpuMicros, command } = await bench.measureCommand(service, args)
  const bytes = (await storedBytes(store)) - before
  return { name, service, store, seconds, cpuMicros: cpuMicros + command.cpuMicros, bytes }
}

/** Returns the size of the files of a store, with those of columns beside a SQLite file. */
export async function storedBytes(store: string): Promise<number> {
  if (store.startsWith('sqlite:')) {
    const file = store.slice('sqlite:'.length)
    const columns = globSync(`${file}.columns/*`)
    return [file, ...columns].reduce((sum, path) => sum + statSync(path).size, 0)
  }
  const [row] = await runSql(store, 'SELECT pg_database_size(current_database()) AS bytes')
  return Number(row?.['bytes'])
}

export function loadTable(objects: number, loads: readonly Load[]): Table {
  const rows = loads.map(({ name, seconds, cpuMicros, bytes }) => [
    name,
    seconds.toFixed(1),
    count(objects / seconds),
    count(cpuMicros / objects, 1),
    count(bytes / objects),
  ])
  return [['Load', 'seconds', 'objects/s', 'CPU µs', 'bytes'], ...rows]
}
