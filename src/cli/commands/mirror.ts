import type { Command } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { targetKind } from '../../transfer/mirror/target-kind.ts'
import { printMessage } from '../output.ts'
import { startProcessProgress } from '../progress.ts'
import {
  addTypeOptions,
  parseText,
  runUntilStopped,
  type ServiceContext,
  type ServiceOptions,
  type TypeOptions,
} from '../service-options.ts'

interface MirrorCommandOptions extends ServiceOptions, TypeOptions {
  readonly to: string
  readonly table?: string
  readonly replace?: true
  readonly once?: true
}

export function addMirrorCommand(program: Command): void {
  const command = program
    .command('mirror')
    .description('Keep an exact copy of a type: copy a snapshot, then follow what changes.')
  addTypeOptions(command)
  command
    .requiredOption('--to <target>', 'FILE.ndjson, FILE.db (SQLite) or postgres://…', parseText)
    .option('--table <name>', 'table of a database (default: the name of the type)', parseText)
    .option('--replace', 'delete what the target has if it is not a mirror of this type')
    .option('--once', 'stop when the copy has caught up')
  const examples = [
    'oqs mirror --ontology aviation --type airport --to airports.db',
    'oqs mirror --ontology aviation --type airport --to airports.ndjson --once',
    'oqs mirror --ontology aviation --type airport --to airports.db --table airports --once',
    'oqs mirror --ontology aviation --type airport --to postgres://reports@localhost/reports --table airports',
  ]
  runUntilStopped(command, examples, mirror, ({ to, type, table }) => {
    const kind = targetKind(to)
    if (kind === undefined) {
      return `option '--to <target>' must be FILE.ndjson, FILE.db or postgres://…, not ${to}`
    }
    if (kind === 'ndjson') {
      return table === undefined
        ? undefined
        : "option '--table <name>' cannot be used with an NDJSON file"
    }
    return (table ?? type).toLowerCase().startsWith('oqs_mirror')
      ? "option '--table <name>' must name a table that does not begin with oqs_mirror, where mirrors keep their state"
      : undefined
  })
}

async function mirror({ client, options, signal }: ServiceContext<MirrorCommandOptions>) {
  const { ontology, type, to, table = type, once = false, replace = false } = options
  const [{ mirrorType }, { openTarget }] = await Promise.all([
    import('../../transfer/mirror/mirror-type.ts'),
    import('../../transfer/mirror/open-target.ts'),
  ])
  const progress = startProcessProgress(`copying ${type}`)
  await using target = openTarget(to, table)
  try {
    await mirrorType(client, { ontology, objectType: type }, target, {
      once,
      replace,
      signal,
      onProgress: ({ objects }) =>
        progress.update({ label: `copying ${type}: ${countOf(objects, 'object')}` }),
      onEvent: (line) => {
        progress.end()
        printMessage(line)
      },
    })
    if (once) printMessage(`${target.name} has caught up`)
  } finally {
    progress.end()
    if (signal.aborted) {
      printMessage(`stopped; to continue ${target.name}, run the same command again`)
    }
  }
}
