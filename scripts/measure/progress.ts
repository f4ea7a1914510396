/** The current step: one line on standard error, overwritten in place on a terminal. */
const { stderr } = process

export function showProgress(text: string): void {
  stderr.write(stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
}

export function clearProgress(): void {
  if (stderr.isTTY) stderr.write('\r\x1b[K')
}

/** Prints to standard output, after removing the progress line. */
export function print(text: string): void {
  clearProgress()
  console.log(text)
}
