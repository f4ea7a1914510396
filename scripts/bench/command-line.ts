/** What the command lines of the scripts have in common. */

/** Reads the options; of wrong ones it says in one line what is wrong, and sets the status to 2. */
export function readCommandLine<Options>(name: string, read: () => Options): Options | undefined {
  try {
    return read()
  } catch (error) {
    console.error(`${name}: ${(error as Error).message} (--help tells more)`)
    process.exitCode = 2
    return undefined
  }
}

/** The options of every script that measures so many objects in so many rounds. */
export const ROUND_OPTIONS = {
  objects: { type: 'string' },
  rounds: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** The number that was given, or else the usual one. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  { min, usual }: { readonly min: number; readonly usual: number },
): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < min) {
    throw new Error(`${name} is ${text}, but must be a whole number from ${min} up`)
  }
  return number
}
