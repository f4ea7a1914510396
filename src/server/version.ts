import { readFileSync } from 'node:fs'

/** The version of this release, from the package itself: two folders up in source and in build. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
