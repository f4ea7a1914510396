/** The command line shared by all scripts: options, help, one-line errors and the exit status. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { clearProgress } from './progress.ts'

export const FLAG = { type: 'boolean', default: false } as const
export const TEXT = { type: 'string' } as const

export const STORES = ['SQLite', 'PostgreSQL'] as const
export type StoreName = (typeof STORES)[number]

export const STORE_FLAGS = { sqlite: FLAG, postgres: FLAG } as const
export const STORE_HELP = `  --sqlite          SQLite only
  --postgres        PostgreSQL only: starts a server, or uses that of OQS_TEST_POSTGRES`

type OptionTypes = NonNullable<ParseArgsConfig['options']>
type Values<Options extends OptionTypes> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values']

export interface Script<Options extends OptionTypes> {
  readonly name: string
  readonly help: string
  readonly options: Options
  /** Resolves to false when a mark was missed. */
  run(values: Values<Options>): Promise<boolean>
}

/** Runs a script. The exit status is 0, 1 when a mark was missed, or 2 when the run failed. */
export async function runScript<const Options extends OptionTypes>(
  script: Script<Options>,
): Promise<void> {
  try {
    const help = { type: 'boolean', short: 'h', default: false } as const
    const { values } = parseArgs({ options: { ...script.options, help } })
    if ((values as { readonly help?: boolean }).help) console.log(script.help)
    else process.exitCode = (await script.run(values as Values<Options>)) ? 0 : 1
  } catch (error) {
    clearProgress()
    console.error(`${script.name}: ${messageOf(error)}`)
    process.exitCode = 2
  }
}

/** Parses a whole number; returns the default when the option is missing. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  { min, usual }: { readonly min: number; readonly usual: number },
): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < min) {
    throw new Error(`${name} is ${text}, but must be a whole number of at least ${min}.`)
  }
  return number
}

/** Returns the part that `--only` names; all of them when it is missing. */
export function chosenParts<Part extends string>(
  only: string | undefined,
  parts: readonly Part[],
): readonly Part[] {
  const chosen = parts.filter((part) => only === undefined || only === part)
  if (chosen.length > 0) return chosen
  throw new Error(`--only is ${only}, but must be one of ${parts.join(', ')}.`)
}

/** Returns the stores named by the flags; all of them when there is no flag. */
export function chosenStores(flags: {
  readonly sqlite: boolean
  readonly postgres: boolean
}): readonly StoreName[] {
  const chosen = STORES.filter((store) => (store === 'SQLite' ? flags.sqlite : flags.postgres))
  return chosen.length === 0 ? STORES : chosen
}

function messageOf(error: unknown): string {
  const { message, code } = error as { readonly message: string; readonly code?: string }
  const line = (message.split('\n')[0] ?? '').replace(/\.?$/, '.')
  return code?.startsWith('ERR_PARSE_ARGS') ? `${line} Run with --help for the options.` : line
}
