import type { Command } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { changeProgress } from '../change-progress.ts'
import { untilInterrupted } from '../interrupt.ts'
import { printMessage, writeOut } from '../output.ts'
import {
  formatBytes,
  type Progress,
  type ProgressState,
  startProcessProgress,
} from '../progress.ts'
import {
  addExamples,
  addServiceOptions,
  openClient,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
} from '../service-options.ts'

interface ExportOptions extends ServiceOptions {
  readonly output: string
}

interface ImportOptions extends ServiceOptions {
  readonly as?: string
  readonly replace?: true
}

/** Adds `oqs ontology export` and `oqs ontology import`. */
export function addArchiveCommands(ontology: Command): void {
  const write = ontology
    .command('export')
    .description('Write the definition and all objects of an ontology to one tar archive.')
    .argument('<name>', 'API name or RID of the ontology', parseText)
    .requiredOption(
      '--output <file>',
      'archive to write, such as aviation.tar; - is standard output',
      parseText,
    )
  const examples = ['oqs ontology export aviation --output aviation.tar']
  runOnService(write, examples, exportOntology)

  const read = ontology
    .command('import')
    .description('Write the definition and all objects of an archive to a service.')
    .argument(
      '<archive>',
      'a file that `oqs ontology export` wrote, optionally compressed',
      parseText,
    )
    .option('--as <name>', 'API name of the ontology (default: as in the archive)', parseText)
    .option('--replace', 'change an ontology that exists, and replace its objects')
  addServiceOptions(read)
  addExamples(
    read,
    'oqs ontology export aviation --output aviation.tar && oqs ontology import aviation.tar --as aviation2',
  ).action((archive: string, options: ImportOptions) =>
    untilInterrupted((signal) => importOntology(archive, options, signal)),
  )
}

async function exportOntology(
  { client, options, signal }: ServiceContext<ExportOptions>,
  name: string,
): Promise<void> {
  const { writeArchive } = await import('../../transfer/archive/write-archive.ts')
  const { output } = options
  const progress = startTypeProgress('exporting')
  try {
    const write = (file: string) =>
      writeArchive(client, name, file, { now: new Date(), onProgress: progress.update })
    if (output === '-') {
      await writeThroughTemporaryFile(write, signal)
      return
    }
    const { objects, bytes } = await write(output)
    progress.end()
    printMessage(
      `export complete: ${countOf(objects, 'object')}, ${formatBytes(bytes)} in ${output}`,
    )
  } finally {
    progress.end()
  }
}

/** Writes an archive to standard output, via a file: its headers are completed afterwards. */
async function writeThroughTemporaryFile(
  write: (file: string) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const [{ createReadStream }, { mkdtempDisposable }, { tmpdir }, { join }] = await Promise.all([
    import('node:fs'),
    import('node:fs/promises'),
    import('node:os'),
    import('node:path'),
  ])
  await using folder = await mkdtempDisposable(join(tmpdir(), 'oqs-archive-'))
  const file = join(folder.path, 'archive.tar')
  await write(file)
  for await (const chunk of createReadStream(file)) await writeOut(chunk, signal)
}

async function importOntology(
  path: string,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<void> {
  const [{ openArchive }, { importArchive }, { ImportStopped }] = await Promise.all([
    import('../../transfer/archive/read-archive.ts'),
    import('../../transfer/archive/import-archive.ts'),
    import('../../transfer/import/import-files.ts'),
  ])
  const client = await openClient(options, signal, { finishRequests: true })
  await using archive = await openArchive(path)
  const ontology = options.as ?? archive.definition.apiName
  const changing = changeProgress(ontology)
  const progress = startTypeProgress('importing')
  try {
    const objects = await importArchive(client, archive, {
      ontology,
      replace: options.replace === true,
      signal,
      onChanging: changing.update,
      onProgress: (type, written) => {
        changing.end()
        progress.update(type, { objects: written, bytes: archive.bytesRead })
      },
    })
    progress.end()
    const types = Object.keys(archive.manifest.objectTypes).length
    printMessage(
      `${countOf(objects, 'object')} of ${countOf(types, 'object type')} written to ${ontology}`,
    )
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error
    const reason = error.message.replace(/\.$/, '')
    throw new Error(`${reason}. Run the command with --replace to write all types again.`, {
      cause: error,
    })
  } finally {
    changing.end()
    progress.end()
  }
}

/** Shows the progress of one object type after the other. */
function startTypeProgress(verb: string) {
  let progress: Progress | undefined
  let current: string | undefined
  const end = () => progress?.end()
  const update = (type: string, state: ProgressState) => {
    if (type !== current) {
      end()
      progress = startProcessProgress(`${verb} ${type}`)
      current = type
    }
    progress?.update(state)
  }
  return { update, end }
}
