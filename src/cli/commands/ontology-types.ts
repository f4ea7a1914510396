import { type Command, Option } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { untilInterrupted } from '../interrupt.ts'
import type { FullMetadata } from '../ontology-types/full-metadata.ts'
import { printMessage, writeOut } from '../output.ts'
import { readDefinition } from '../read-definition.ts'
import {
  addExamples,
  addServiceOptions,
  openClient,
  outputFile,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'

interface TypesOptions extends ServiceOptions {
  readonly ontology?: string
  readonly out?: string
  readonly for: 'client' | 'osdk'
}

export function addTypesCommand(ontology: Command): void {
  const types = ontology
    .command('types')
    .description('Write TypeScript types for an ontology, from a service or a definition file.')
    .argument('[file]', 'definition as JSON; - reads standard input', parseText)
    .option('--ontology <name>', 'API name or RID of an ontology of the service', parseText)
    .option('--out <file>', 'file to write (default, and -: standard output)', parseText)
    .addOption(
      new Option('--for <client>', 'whose types: our own client, or @osdk/client')
        .choices(['client', 'osdk'])
        .default('client'),
    )
  addServiceOptions(types)
  addExamples(
    types,
    'oqs ontology types --ontology aviation --out aviation.ts',
    'oqs ontology types --ontology aviation --for osdk --out osdk.ts',
    'oqs ontology types aviation.json',
  ).action((file: string | undefined, options: TypesOptions) => {
    if ((file === undefined) === (options.ontology === undefined)) {
      types.error("error: specify either a file or '--ontology <name>'", { exitCode: 2 })
    }
    return untilInterrupted((signal) => writeTypes(file, options, signal))
  })
}

async function writeTypes(
  file: string | undefined,
  options: TypesOptions,
  signal: AbortSignal,
): Promise<void> {
  const metadata =
    file === undefined ? await readService(options, signal) : await readMetadata(file, options)
  const text = await generate(metadata, options.for)
  const out = outputFile(options.out)
  if (out === undefined) return await writeOut(text, signal)
  const { writeFile } = await import('node:fs/promises')
  await writeFile(out, text).catch((error: Error) => {
    throw new Error(`cannot write ${out}: ${error.message}`, { cause: error })
  })
  const types = countOf(Object.keys(metadata.objectTypes).length, 'object type')
  printMessage(`wrote ${types} of ${metadata.ontology.apiName} to ${out}`)
}

async function readService(options: TypesOptions, signal: AbortSignal): Promise<FullMetadata> {
  const { objectSets } = await openClient(options, signal)
  return (await objectSets.getFullMetadata(options.ontology ?? '')) as FullMetadata
}

async function readMetadata(file: string, options: TypesOptions): Promise<FullMetadata> {
  const { metadataOf } = await import('../ontology-types/metadata-of-definition.ts')
  const definition = await readDefinition(file)
  if (options.for === 'osdk' && definition.rid === undefined) {
    throw new Error(
      `${file} has no RIDs, which @osdk/client needs. Apply it and use \`oqs ontology types --ontology ${definition.apiName} --for osdk\`.`,
    )
  }
  return metadataOf(definition as Parameters<typeof metadataOf>[0])
}

async function generate(metadata: FullMetadata, target: 'client' | 'osdk'): Promise<string> {
  if (target === 'client') {
    const { writeClientTypes } = await import('../ontology-types/client-types.ts')
    return writeClientTypes(metadata)
  }
  const [{ writeOsdkTypes }, { readVersion }] = await Promise.all([
    import('../ontology-types/osdk-types.ts'),
    import('../../server/release.ts'),
  ])
  return writeOsdkTypes(metadata, { version: readVersion() })
}
