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

export function wholeNumber(name: string, text: string, min: number): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < min) {
    throw new Error(`${name} is ${text}, but must be a whole number from ${min} up`)
  }
  return number
}
