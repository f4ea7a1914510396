import { basename, extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { countOf } from '../../contract/count-of.ts'
import {
  EXPORT_FORMATS,
  type ExportFormat,
  LINE_FORMATS,
  type LineFormat,
  SLICES_MAX,
} from '../../contract/export-formats.ts'
import type { ExportProgress } from '../../transfer/export/export-objects.ts'
import type { TableFileRequest } from '../../transfer/export/export-table-file.ts'
import { Interrupted } from '../interrupt.ts'
import { printMessage, writeOut } from '../output.ts'
import { formatBytes, startProcessProgress } from '../progress.ts'
import {
  addTypeOptions,
  outputFile,
  parseCount,
  parseList,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'
import { addWhere, toQuery, WHERE_HELP, type Where } from '../where-option.ts'

interface ExportCommandOptions extends ServiceOptions, TypeOptions {
  readonly format?: ExportFormat
  readonly output?: string
  readonly where?: Where
  readonly select?: string[]
  readonly escapeFormulas?: true
  readonly resume?: true
  readonly parallel?: number
}

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('Write all objects of a type as of one point in time.')
  addTypeOptions(command)
  command
    .addOption(
      new Option(
        '--format <format>',
        'output format (default: from the extension of the file; ndjson if it has none)',
      ).choices(EXPORT_FORMATS),
    )
    .option('--output <file>', 'file to write (default, and -: standard output)', parseText)
    .option('--where <filter>', WHERE_HELP, addWhere)
    .option('--select <names>', 'properties to write, comma-separated', parseList)
    .option(
      '--escape-formulas',
      'put an apostrophe before texts of CSV that a spreadsheet would run as formulas',
    )
    .option('--resume', 'continue an interrupted export to the same file')
    .option(
      '--parallel <count>',
      'read this many slices of the snapshot at the same time',
      parseCount,
    )
  const examples = [
    'oqs export --ontology aviation --type airport --output airports.ndjson',
    'oqs export --ontology aviation --type airport --format csv --output airports.csv --resume',
    'oqs export --ontology aviation --type airport --where countryCode.eq=CH --select name,city',
    'oqs export --ontology aviation --type flight --output flights.ndjson --parallel 4',
    'oqs export --ontology aviation --type country --format csv | gzip > countries.csv.gz',
    'oqs export --ontology aviation --type airport --output airports.parquet',
    'oqs export --ontology aviation --type country --output countries.xlsx',
  ]
  runOnService(command, examples, exportType, (options: ExportCommandOptions) => {
    const { parallel = 1, format: named, output = '' } = options
    if (named === undefined && formatOfFile(output) === undefined) {
      const formats = EXPORT_FORMATS.join(', ')
      return `'${output}' has the extension of no format; pass '--format <format>': ${formats}`
    }
    if (parallel > SLICES_MAX) {
      return `option '--parallel <count>' is ${parallel}; it can be at most ${SLICES_MAX}`
    }
    if (parallel > 1 && options.where !== undefined) {
      return "option '--parallel <count>' cannot be used with '--where <filter>'"
    }
    const format = formatOf(options)
    if (options.escapeFormulas && format !== 'csv') {
      return "option '--escape-formulas' is for CSV; other formats mark texts as such"
    }
    if (parallel > 1 && !isLineFormat(format)) {
      return `option '--parallel <count>' cannot be used with ${FILE_NAMES[format]}`
    }
    if (options.resume === undefined) return undefined
    if (outputFile(options.output) === undefined) {
      return "option '--resume' requires '--output <file>'"
    }
    return isLineFormat(format)
      ? undefined
      : `option '--resume' cannot be used with ${FILE_NAMES[format]}; run without it`
  })
}

async function exportType({
  client,
  options,
  signal,
}: ServiceContext<ExportCommandOptions>): Promise<void> {
  const { ontology, type, select, parallel = 1 } = options
  const output = outputFile(options.output)
  const query = toQuery(options.where)
  const where = query === undefined ? undefined : JSON.stringify(query)
  const format = formatOf(options)
  const shared = { ontology, objectType: type, where, select: select?.join(',') }
  const progress = startProcessProgress(`exporting ${type}`)
  const onProgress = progress.update
  try {
    if (!isLineFormat(format)) {
      const file = { ...shared, format }
      const exported = await writeTableFile(client, file, output, onProgress, signal)
      progress.end()
      if (output !== undefined) printComplete(exported, output)
      return
    }
    const { escapeFormulas } = options
    const request = { ...shared, format, escapeFormulas }
    if (output === undefined) {
      const sink = {
        begin: async () => {},
        write: (bytes: Uint8Array) => writeOut(bytes, signal),
      }
      if (parallel > 1) {
        const { exportSlices } = await import('../../transfer/export/export-slices.ts')
        await exportSlices(client, request, sink, { parallel, onProgress })
        return
      }
      const { exportObjects } = await import('../../transfer/export/export-objects.ts')
      await exportObjects(client, request, sink, { onProgress, onContinue: printContinuation })
      return
    }
    const { exportToFile } = await import('../../transfer/export/export-file.ts')
    const exported = await exportToFile(client, request, output, {
      resume: options.resume === true,
      parallel,
      onProgress,
      onContinue: printContinuation,
      onResume: (kept) => printMessage(`continuing after ${countOf(kept.objects, 'object')}`),
    })
    progress.end()
    printComplete(exported, output)
  } catch (error) {
    throw output === undefined || !signal.aborted || !isLineFormat(format)
      ? error
      : new Interrupted(`interrupted. Run the command with --resume to continue ${output}.part.`, {
          cause: error,
        })
  } finally {
    progress.end()
  }
}

async function writeTableFile(
  client: Endpoints,
  request: TableFileRequest,
  output: string | undefined,
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
): Promise<ExportProgress> {
  const [{ exportTableFile }, { writeAll, writeWholeFile }] = await Promise.all([
    import('../../transfer/export/export-table-file.ts'),
    import('../../transfer/export/export-file.ts'),
  ])
  const options = { onProgress, onNote: (note: string) => printMessage(`note: ${note}`) }
  if (output === undefined) {
    return exportTableFile(client, request, (bytes) => writeOut(bytes.slice(), signal), options)
  }
  return writeWholeFile(output, (file, path) =>
    exportTableFile(client, request, (bytes) => writeAll(file, bytes, path), options),
  )
}

const FILE_NAMES = { parquet: 'Parquet', arrow: 'Arrow', xlsx: 'Excel' } as const

function isLineFormat(format: ExportFormat): format is LineFormat {
  return (LINE_FORMATS as readonly string[]).includes(format)
}

function formatOf({ format, output = '' }: ExportCommandOptions): ExportFormat {
  if (format !== undefined) return format
  return formatOfFile(output) ?? 'ndjson'
}

/** Returns the format of a file by its extension: NDJSON without one; undefined for an unknown one. */
function formatOfFile(output: string): ExportFormat | undefined {
  // Also that of a name which is nothing else, such as .csv.
  const extension = extname(`-${basename(output)}`)
    .slice(1)
    .toLowerCase()
  if (extension === '' || extension === 'jsonl') return 'ndjson'
  return EXPORT_FORMATS.find((name) => name === extension)
}

function printContinuation(objects: number): void {
  printMessage(
    `the snapshot of the first ${countOf(objects, 'object')} is gone; the objects after them are as of now`,
  )
}

function printComplete({ objects, bytes }: ExportProgress, output: string): void {
  printMessage(`export complete: ${countOf(objects, 'object')}, ${formatBytes(bytes)} in ${output}`)
}
