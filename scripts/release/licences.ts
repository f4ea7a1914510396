/** The licences of the packages whose code a release contains. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly dev?: true
  readonly devOptional?: true
  readonly link?: true
}

/** Writes each text once, below the packages that it applies to. */
export function writeLicences(root: string, file: string): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const namesOf = new Map<string, string[]>()
  for (const [path, locked] of Object.entries<LockedPackage>(lock.packages).toSorted()) {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? []
    if (name === undefined || locked.dev || locked.devOptional || locked.link) continue
    const texts = globSync('{LICENSE,LICENCE,LICENSE.*,license,license.*,NOTICE}', {
      cwd: join(root, path),
    })
    // A package for another system is not installed; none of them is part of a release.
    const text = texts
      .toSorted()
      .map((text) => readFileSync(join(root, path, text), 'utf8').trim())
      .join('\n\n')
    if (text === '' && locked.license === undefined) continue
    const key = text === '' ? `Licence: ${locked.license}` : text
    namesOf.set(key, [...(namesOf.get(key) ?? []), `${name} ${locked.version}`])
  }
  const sections = [...namesOf].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`)
  writeFileSync(file, sections.join(`\n${'-'.repeat(80)}\n\n`))
}
