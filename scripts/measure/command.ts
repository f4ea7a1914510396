/**
 * The command line of all measurements. A command is a table of parts. A part has numbers, such as how
 * many objects it loads, which options of the same name change, and returns marks.
 */
import { parseArgs } from 'node:util'
import { isMissed, type Mark, markTable, print, toMarkdown } from './report.ts'
import { STORES, type StoreName, Workbench } from './workbench.ts'

export interface PartContext<Numbers> {
  readonly numbers: Numbers
  /** The values of the command's own options. */
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly store: StoreName
  readonly bench: Workbench
  /** Prints a section of the report. */
  print(text: string): void
}

export interface Part<Numbers> {
  /** For the help: what it does, and what it needs. */
  readonly about: string
  readonly full: Numbers
  /** The numbers of `--quick`. */
  readonly quick?: Numbers
  /** The stores that it can run on; both by default. */
  readonly stores?: readonly StoreName[]
  /** The stores that it runs on unless an option names one; all of the above by default. */
  readonly usualStores?: readonly StoreName[]
  run(context: PartContext<Numbers>): Promise<readonly Mark[]>
}

interface Report {
  readonly sections: readonly string[]
  readonly marks: readonly Mark[]
  /** True if the usual parts ran on all stores with the numbers of a full run. */
  readonly isFull: boolean
  readonly texts: Readonly<Record<string, string | undefined>>
}

export interface Command {
  readonly name: string
  readonly about: string
  // biome-ignore lint/suspicious/noExplicitAny: Each part has numbers of its own.
  readonly parts: Readonly<Record<string, Part<any>>>
  /** The parts that run without `--only`; all by default. */
  readonly usual?: readonly string[]
  /** Options of the command, as `NAME=VALUE`, or `NAME` for a flag, and their description. */
  readonly texts?: Readonly<Record<string, string>>
  finish?(report: Report): void
}

type Numbers = Readonly<Record<string, number>>
type Options = Readonly<Record<string, string | undefined>> &
  Partial<Readonly<Record<'help' | 'quick' | 'sqlite' | 'postgres', boolean>>>
type Values = Readonly<Record<string, unknown>>

/** Runs a command. The exit status is 0, 1 when a mark was missed, or 2 when the run failed. */
export async function runCommand(command: Command): Promise<void> {
  try {
    process.exitCode = (await run(command)) ? 0 : 1
  } catch (error) {
    const { message, code } = error as { readonly message: string; readonly code?: string }
    const line = (message.split('\n')[0] ?? '').replace(/\.?$/, '.')
    const advice = code?.startsWith('ERR_PARSE_ARGS') ? ' Run with --help for the options.' : ''
    console.error(`${command.name}: ${line}${advice}`)
    process.exitCode = 2
  }
}

/** Returns false if a mark was missed. */
async function run(command: Command): Promise<boolean> {
  const { parts, usual = Object.keys(parts) } = command
  const own = Object.keys(command.texts ?? {}).map((name) => name.split('='))
  const numberNames = new Set(Object.values(parts).flatMap(({ full }) => Object.keys(full)))
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({
    options: {
      only: text,
      ...Object.fromEntries(Object.keys(parts).map((name) => [name, flag])),
      ...Object.fromEntries([...numberNames].map((name) => [name, text])),
      ...Object.fromEntries(own.map(([name, value]) => [name, value ? text : flag])),
      ...{ help: { ...flag, short: 'h' }, quick: flag, sqlite: flag, postgres: flag },
    },
  })
  const { only, help, quick = false, sqlite, postgres, ...texts } = values as Options
  if (help) {
    print(describeCommand(command))
    return true
  }
  const stores = STORES.filter((store) => (store === 'SQLite' ? sqlite : postgres))
  const sections: string[] = []
  const marks: Mark[] = []
  // A number may have the name of a part.
  const flagged = Object.keys(parts).filter((name) => (values as Values)[name] === true)
  const named = flagged.length > 0 ? flagged : undefined
  const chosen = chosenNames('--only', only, Object.keys(parts)) ?? named
  for (const name of chosen ?? usual) {
    const part = parts[name] as Part<Numbers>
    const { stores: possible = STORES, usualStores = possible } = part
    const numbers = numbersOf((quick && part.quick) || part.full, texts)
    for (const store of stores.length > 0 ? stores : usualStores) {
      if (!possible.includes(store)) continue
      await using bench = new Workbench(store)
      const printSection = (section: string) => {
        sections.push(section)
        print(`\n${section}`)
      }
      marks.push(...(await part.run({ numbers, texts, store, bench, print: printSection })))
    }
  }
  const isFull = !quick && !chosen && stores.length === 0 && Object.keys(texts).length === 0
  command.finish?.({ sections, marks, isFull, texts })
  const judged = quick ? marks.filter(({ isExact }) => isExact) : marks
  if (judged.length > 0) print(`\n${toMarkdown(markTable(judged))}`)
  if (quick) print('\nOnly a full run judges marks that depend on time or memory.')
  return !judged.some(isMissed)
}

/** Returns the names in a list; undefined without one. Throws if one is unknown. */
export function chosenNames(
  option: string,
  list: string | undefined,
  known: readonly string[],
): readonly string[] | undefined {
  const names = list?.split(',')
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw new Error(`${option} is ${unknown}, but must be one of ${known.join(', ')}.`)
}

/** Returns the numbers of a part; an option replaces the number of its name. */
function numbersOf(usual: Numbers, texts: PartContext<Numbers>['texts']): Numbers {
  const chosen = Object.entries(usual).map(([name, number]) => {
    const { [name]: text = String(number) } = texts
    if (/^\d{1,15}$/.test(text)) return [name, Number(text)]
    throw new Error(`--${name} is ${text}, but must be a whole number.`)
  })
  return Object.fromEntries(chosen)
}

function describeCommand({ name, about, parts, usual, texts = {} }: Command): string {
  const options = {
    'only PART,…': `the parts to run (${usual?.join(', ') ?? 'all'}); --PART runs one`,
    'NUMBER N': 'changes a number of the parts by its name, such as --objects 5000',
    quick: 'the numbers in parentheses; time and memory are not judged',
    sqlite: 'SQLite only',
    postgres: 'PostgreSQL only: starts a server, or uses that of OQS_TEST_POSTGRES',
    ...texts,
  }
  const optionRows = Object.entries(options).map(
    ([option, text]) => `  --${option.replace('=', ' ').padEnd(16)} ${text}`,
  )
  const partRows = Object.entries(parts).flatMap(([part, { about: aboutPart, full, quick }]) => {
    const numbers = Object.entries<number>(full).map(([key, number]) =>
      quick === undefined ? `${key} ${number}` : `${key} ${number} (${quick[key]})`,
    )
    const sizes = numbers.length > 0 ? `\n  Numbers: ${numbers.join(', ')}` : ''
    return `${part}\n  ${aboutPart.replaceAll('\n', '\n  ')}${sizes}`
  })
  return `Usage: npm run ${name} -- [options]

${about}

The exit status is 0, 1 when a mark is missed, or 2 when the run fails. Everything that a run
creates in TMPDIR is removed afterwards.

${partRows.join('\n\n')}

${optionRows.join('\n')}`
}
