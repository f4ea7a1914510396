/** What is being done right now: one line on standard error that is written over. */

const { stderr } = process

export function showProgress(text: string): void {
  stderr.write(stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
}

export function clearProgress(): void {
  if (stderr.isTTY) stderr.write('\r\x1b[K')
}
