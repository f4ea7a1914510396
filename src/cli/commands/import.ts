import { type Command, InvalidArgumentError, Option } from 'commander'
import { addColumnOptions } from '../column-options.ts'
import { addInputOptions } from '../inputs.ts'
import { untilInterrupted } from '../interrupt.ts'
import type { ImportCommandOptions } from '../run-import.ts'
import { addExamples, addServiceOptions, parseText } from '../service-options.ts'

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description(
      'Write the rows of files as objects of a type. Reads CSV, NDJSON, JSON, GeoJSON and Parquet, optionally compressed.',
    )
    .argument('<files...>', 'files to import, in this order; - reads standard input')
    .requiredOption('--ontology <name>', 'API name or RID of the ontology', parseText)
    .option(
      '--type <name>',
      'API name of the object type (default with --infer: from the file)',
      parseText,
    )
    .addOption(
      new Option('--replace', 'atomically replace all objects of the type').conflicts('append'),
    )
    .option('--append', 'add new objects only and leave existing ones unchanged')
    .addOption(
      new Option(
        '--merge',
        'change only the columns of the files: other values of existing objects stay',
      ).conflicts(['replace', 'append', 'replaceValues']),
    )
    .addOption(
      new Option(
        '--replace-values',
        'let existing objects lose the values of properties that the files have no column for',
      ).conflicts(['replace', 'append']),
    )
    .option(
      '--infer',
      'create the object type from the data, or widen it if it cannot hold the data',
    )
    .addOption(
      new Option(
        '--on-duplicate <row>',
        'which of several rows with the same primary key to write (default: last; first with --append)',
      ).choices(['last', 'first', 'fail']),
    )
    .option(
      '--restart',
      'send all rows, also those that an interrupted run of this command has sent',
    )
    .option('--dry-run', 'read and check everything, but write nothing')
    .option('--max-errors <n>', 'stop after more than this many rejected rows', parseMaxErrors, 0)
    .option('--rejects <file>', 'write rejected rows and reasons to this NDJSON file', parseText)
  addInputOptions(command)
  addColumnOptions(command)
  addServiceOptions(command)
  addExamples(
    command,
    'oqs import airports.csv --ontology aviation --type airport',
    'oqs import airports.csv --ontology travel --infer',
    'oqs import airports.csv --ontology aviation --type airport --replace --max-errors 10 --rejects rejects.ndjson',
    'oqs import elevations.csv --ontology aviation --type airport --merge',
    'gzip -c airports.csv | oqs import - --ontology aviation --type airport --append --dry-run',
  ).action((files: readonly string[], options: ImportCommandOptions) => {
    if (options.type === undefined && options.infer === undefined) {
      command.error(
        "error: required option '--type <name>' not specified; pass --infer to create a type",
        { exitCode: 2 },
      )
    }
    if (files.filter((file) => file === '-').length > 1) {
      command.error('error: standard input can be read only once', { exitCode: 2 })
    }
    if (options.append && options.onDuplicate === 'last') {
      command.error(
        "error: '--append' writes the first row of a key, so '--on-duplicate' cannot be 'last'",
        {
          exitCode: 2,
        },
      )
    }
    return untilInterrupted(async (signal) => {
      const { runImport } = await import('../run-import.ts')
      await runImport(files, options, signal)
    })
  })
}

function parseMaxErrors(text: string): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of at least 0.')
  }
  return Number(text)
}
