import type { Command } from 'commander'
import { addColumnOptions, type ColumnArgs, readColumnOptions } from '../column-options.ts'
import { inferFromFiles, printNotes } from '../infer-type.ts'
import { addInputOptions, type InputArgs, openInputs } from '../inputs.ts'
import { untilInterrupted } from '../interrupt.ts'
import { writeOut } from '../output.ts'
import { addExamples, parseText } from '../service-options.ts'

interface InferCommandOptions extends InputArgs, ColumnArgs {
  readonly ontology?: string
  readonly type?: string
}

export function addInferCommand(ontology: Command): void {
  const infer = ontology
    .command('infer')
    .description('Infer a definition from data, ready to edit and apply.')
    .argument('<files...>', 'CSV, NDJSON, JSON, GeoJSON or Parquet files; - reads standard input')
    .option('--ontology <name>', 'API name of the ontology (default: the type)', parseText)
    .option('--type <name>', 'API name of the object type (default: from the file)', parseText)
  addColumnOptions(addInputOptions(infer))
  addExamples(
    infer,
    'oqs ontology infer airports.csv > airports.json',
    'oqs ontology infer airports.csv --ontology travel --type airport | oqs ontology apply -',
    'oqs ontology infer airports.csv --key iata --as runwayFeet=integer',
  ).action((files: readonly string[], options: InferCommandOptions) =>
    untilInterrupted((signal) => inferDefinition(files, options, signal)),
  )
}

async function inferDefinition(
  files: readonly string[],
  options: InferCommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const { fileTitle, typeNameOf, writeDefinition } = await import(
    '../../transfer/infer/definition.ts'
  )
  const [file = ''] = files
  const { type = typeNameOf(file), ontology = type } = options
  await using inputs = await openInputs(files, options, signal, { twice: false })
  const displayName = fileTitle(file)
  const columns = readColumnOptions(options)
  const { inferred } = await inferFromFiles(inputs, {
    apiName: type,
    displayName,
    columns,
    signal,
  })
  printNotes(inferred)
  await writeOut(writeDefinition(ontology, inferred), signal)
}
