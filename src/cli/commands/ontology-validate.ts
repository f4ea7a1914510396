import type { Command } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { untilInterrupted } from '../interrupt.ts'
import { printMessage, writeOut } from '../output.ts'
import { describeDefinition, readJsonFile } from '../read-definition.ts'
import { addExamples, parseText } from '../service-options.ts'

/** Adds `oqs ontology validate` and `oqs ontology schema`, which need no service. */
export function addValidateCommands(ontology: Command): void {
  const validate = ontology
    .command('validate')
    .description('Check definitions without a service. Exits with status 1 if one is invalid.')
    .argument(
      '<path>',
      'definition as JSON, or a folder of them; - reads standard input',
      parseText,
    )
  addExamples(
    validate,
    'oqs ontology validate aviation.json',
    'oqs ontology infer airports.csv | oqs ontology validate -',
  ).action((path: string) => untilInterrupted((signal) => validateAll(path, signal)))

  addExamples(
    ontology.command('schema').description('Print the JSON schema of definitions, for editors.'),
    'oqs ontology schema > ontology.schema.json',
  ).action(() =>
    untilInterrupted(async (signal) => {
      const { definitionSchema } = await import('../../transfer/definition/definition-schema.ts')
      await writeOut(`${JSON.stringify(definitionSchema(), null, 2)}\n`, signal)
    }),
  )
}

async function validateAll(path: string, signal: AbortSignal): Promise<void> {
  const { findDefinitionFiles, validateFiles } = await import(
    '../../transfer/definition/validate-files.ts'
  )
  const files = await validateFiles(await findDefinitionFiles(path), readJsonFile)
  for (const { file, mistakes, definition } of files) {
    const name = file === '-' ? 'standard input' : file
    if (mistakes.length === 0 && definition !== undefined) {
      await writeOut(`${name}: valid: ${describeDefinition(definition)}\n`, signal)
      continue
    }
    printMessage(`${name} is invalid:`)
    for (const mistake of mistakes) process.stderr.write(`  ${mistake}\n`)
  }
  const invalid = files.filter(({ mistakes }) => mistakes.length > 0).length
  if (invalid > 0) throw new Error(`${invalid} of ${countOf(files.length, 'definition')} invalid`)
}
