/** Measures how fast objects are loaded into SQLite; see the help. */
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { measureCommits } from './load/commits.ts'
import { loadReference } from './load/reference.ts'
import { LOAD_HEADER, type LoadReport, loadRow } from './load/report.ts'
import { loadWithSqliteUtils } from './load/sqlite-utils.ts'
import { runScript, TEXT, wholeNumber } from './measure/command-line.ts'
import { judge, type Mark } from './measure/marks.ts'
import { DEFINITION } from './measure/parts.ts'
import { print, showProgress } from './measure/progress.ts'
import {
  define,
  measureImport,
  PART_TYPE,
  partLines,
  startService,
  THIS_CHECKOUT,
} from './measure/service.ts'
import { count, toMarkdown } from './measure/table.ts'
import { openWorkspace, requireDiskSpace, type Workspace } from './measure/workspace.ts'

const OBJECTS = 200_000
const OBJECTS_MIN = 10_000
/** Two stores, the reference and the file of rows. */
const BYTES_PER_OBJECT = 6000

const HELP = `Usage: npm run bench:load -- [options]

Imports objects of about 400 bytes into an empty SQLite store with \`oqs import\`, and compares this
with a ceiling: the same rows in the same table and indexes, written in key order by prepared
statements, with indexes that are built once at the end. sqlite-utils is measured too if it is
installed. Then measures commits of single objects by 1 and by 32 writers. CPU and bytes are per
object; CPU is that of the command and the service together. Prints Markdown.

Everything is removed afterwards. The exit status is 0, 1 when a mark is missed, or 2 when the run
fails.

  --objects N       number of objects (${OBJECTS}; at least ${OBJECTS_MIN})
  --against PATH    another checkout, measured in the same run
  --help            this text`

interface MeasuredLoad {
  readonly name: string
  readonly load: LoadReport
  readonly commits: readonly (readonly string[])[]
  readonly megabytes: number
}

await runScript({
  name: 'bench:load',
  help: HELP,
  options: { objects: TEXT, against: TEXT },
  async run({ objects: text, against }) {
    const objects = wholeNumber('--objects', text, { min: OBJECTS_MIN, usual: OBJECTS })
    using workspace = openWorkspace()
    requireDiskSpace(workspace, 1e9 + BYTES_PER_OBJECT * objects)
    const file = join(workspace.folder, 'parts.ndjson')
    await pipeline(Readable.from(partLines(objects)), createWriteStream(file))
    const own = await measureLoad(workspace, { name: 'oqs import', file, checkout: THIS_CHECKOUT })
    const others =
      against === undefined
        ? []
        : [await measureLoad(workspace, { name: 'the other checkout', file, checkout: against })]
    showProgress('loading the ceiling')
    const ceiling = loadReference(storeOf(workspace, own.name), join(workspace.folder, 'bare.db'))
    showProgress('loading with sqlite-utils')
    const utils = loadWithSqliteUtils(file, join(workspace.folder, 'utils.db'))
    const loads = [own, ...others]
    print(
      toMarkdown([
        LOAD_HEADER,
        loadRow('ceiling', objects, ceiling, ceiling),
        ...loads.map(({ name, load }) => loadRow(name, objects, load, ceiling)),
        ...(utils === undefined ? [] : [loadRow('sqlite-utils', objects, utils, ceiling)]),
      ]),
    )
    const memory = loads.map(({ name, megabytes }) => `${name} ${count(megabytes)} MB`)
    print(`\nPeak of the service's private memory during the import: ${memory.join(', ')}.`)
    print(
      `\n${toMarkdown([
        ['Commits of single objects', 'writers', 'commits/s', 'CPU µs per commit'],
        ...loads.flatMap(({ name, commits }) => commits.map((row) => [name, ...row])),
      ])}`,
    )
    return judge(marksOf(objects, own.load, ceiling))
  },
})

async function measureLoad(
  workspace: Workspace,
  { name, file, checkout }: { name: string; file: string; checkout: string },
): Promise<MeasuredLoad> {
  const path = storeOf(workspace, name)
  await using service = await startService(workspace, { store: `sqlite:${path}`, checkout })
  await define(service, DEFINITION)
  showProgress(`${name}: importing`)
  const report = await measureImport(workspace, service, [file, ...PART_TYPE])
  const { seconds, serviceMegabytes: megabytes } = report
  const cpuMicros =
    report.cpuMicros === undefined || report.commandCpuMicros === undefined
      ? undefined
      : report.cpuMicros + report.commandCpuMicros
  const bytes = statSync(path).size
  showProgress(`${name}: single commits`)
  const commits = await measureCommits(service)
  return { name, load: { seconds, cpuMicros, bytes }, commits, megabytes }
}

function storeOf({ folder }: Workspace, name: string): string {
  return join(folder, `${name.replaceAll(' ', '-')}.db`)
}

function marksOf(objects: number, own: LoadReport, ceiling: LoadReport): readonly Mark[] {
  return [
    {
      name: 'import / ceiling, rate',
      value: ceiling.seconds / own.seconds,
      bound: '≥',
      limit: 0.5,
    },
    {
      name: 'CPU µs per object',
      value: own.cpuMicros === undefined ? undefined : own.cpuMicros / objects,
      bound: '≤',
      limit: 80,
    },
    { name: 'bytes per object', value: own.bytes / objects, bound: '≤', limit: 1200 },
  ]
}
