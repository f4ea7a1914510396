import { type Command, InvalidArgumentError, Option } from 'commander'
import { EXPORT_FORMATS, type ExportFormat } from '../../contract/export-formats.ts'
import { addExamples } from '../examples.ts'
import { Interrupted, untilInterrupted } from '../interrupt.ts'
import { printMessage, writeOut } from '../output.ts'
import { formatBytes, formatCount, startProcessProgress } from '../progress.ts'
import {
  addServiceOptions,
  addTypeOptions,
  openClient,
  parseJson,
  parseList,
  parseText,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'

interface ExportCommandOptions extends ServiceOptions, TypeOptions {
  readonly format?: ExportFormat
  readonly output?: string
  readonly where?: string
  readonly select?: string[]
  readonly resume?: true
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
        'output format (default: from the file name, else ndjson)',
      ).choices(EXPORT_FORMATS),
    )
    .option('--output <file>', 'file to write (default: standard output)', parseText)
    .option('--where <json>', 'write only objects that match a query, see oqs search', checkJson)
    .option('--select <names>', 'properties to write, comma-separated', parseList)
    .option('--resume', 'continue an interrupted export to the same file')
  addServiceOptions(command)
  addExamples(
    command,
    'oqs export --ontology aviation --type airport --output airports.ndjson',
    'oqs export --ontology aviation --type airport --format csv --output airports.csv --resume',
    `oqs export --ontology aviation --type airport --where '{"type": "eq", "field": "properties.countryCode", "value": "CH"}' --select name,city`,
    'oqs export --ontology aviation --type country --format csv | gzip > countries.csv.gz',
  ).action((options: ExportCommandOptions) => {
    const { output, resume } = options
    if (resume && output === undefined) {
      command.error("error: option '--resume' requires '--output <file>'", { exitCode: 2 })
    }
    return untilInterrupted((signal) => exportObjectsTo(output, options, signal))
  })
}

async function exportObjectsTo(
  output: string | undefined,
  options: ExportCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const client = await openClient(options, signal)
  const { ontology, type, where, select } = options
  const format = options.format ?? (output?.endsWith('.csv') ? 'csv' : 'ndjson')
  const request = { ontology, objectType: type, format, where, select: select?.join(',') }
  const progress = startProcessProgress(`exporting ${type}`)
  const onProgress = progress.update
  try {
    if (output === undefined) {
      const { exportObjects } = await import('../../transfer/export/export-objects.ts')
      const sink = {
        begin: async () => {},
        write: (bytes: Uint8Array) => writeOut(bytes, signal),
      }
      await exportObjects(client, request, sink, { onProgress })
      return
    }
    const { exportToFile } = await import('../../transfer/export/export-file.ts')
    const { objects, bytes } = await exportToFile(client, request, output, {
      resume: options.resume === true,
      onProgress,
      onResume: (kept) => printMessage(`continuing after ${formatCount(kept.objects)} objects`),
    })
    progress.end()
    printMessage(
      `export complete: ${formatCount(objects)} objects, ${formatBytes(bytes)} in ${output}`,
    )
  } catch (error) {
    throw output === undefined || !signal.aborted
      ? error
      : new Interrupted(`interrupted. Run the command with --resume to continue ${output}.part.`, {
          cause: error,
        })
  } finally {
    progress.end()
  }
}

/** Checks the JSON but returns the original text, which is sent to the service. */
function checkJson(text: string): string {
  const query = parseJson(text)
  if (typeof query !== 'object' || query === null) {
    throw new InvalidArgumentError('It must be a JSON object.')
  }
  return text
}
