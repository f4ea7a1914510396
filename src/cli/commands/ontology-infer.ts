import type { Command } from 'commander'
import { addExamples } from '../examples.ts'
import { inferFromFiles, tellNotes } from '../infer-type.ts'
import { addInputOptions, type InputWords, openInputs } from '../inputs.ts'
import { untilInterrupted } from '../interrupt.ts'
import { writeOut } from '../output.ts'
import { parseText } from '../service-options.ts'

interface InferOptions extends InputWords {
  readonly ontology?: string
  readonly type?: string
}

export function addInferCommand(ontology: Command): void {
  const infer = ontology
    .command('infer')
    .description('Guess a definition from data, for you to edit and apply.')
    .argument('<files...>', 'files to look at: CSV, NDJSON, JSON or Parquet; - for standard input')
    .option('--ontology <name>', 'API name of the ontology; from the file when left out', parseText)
    .option('--type <name>', 'API name of the object type; from the file when left out', parseText)
  addInputOptions(infer)
  addExamples(
    infer,
    'oqs ontology infer airports.csv > airports.json',
    'oqs ontology infer airports.csv --ontology travel --type airport | oqs ontology apply -',
  ).action((files: readonly string[], options: InferOptions) =>
    untilInterrupted((signal) => inferDefinition(files, options, signal)),
  )
}

async function inferDefinition(
  files: readonly string[],
  options: InferOptions,
  signal: AbortSignal,
): Promise<void> {
  const { fileTitle, typeNameOf, writeDefinition } = await import(
    '../../transfer/infer/definition.ts'
  )
  const [file = ''] = files
  const { type = typeNameOf(file), ontology = type } = options
  await using inputs = await openInputs(files, options, signal, { twice: false })
  const wish = { apiName: type, displayName: fileTitle(file), signal }
  const inferred = await inferFromFiles(inputs, wish)
  tellNotes(inferred)
  await writeOut(writeDefinition(ontology, inferred), signal)
}
