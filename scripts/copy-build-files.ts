/**
 * Completes the build with what the compiler does not emit: the SQL of migrations, and the commit, which
 * a package without its repository could not tell.
 */
import { cpSync, globSync, writeFileSync } from 'node:fs'
import { readCommit } from '../src/server/release.ts'

for (const file of globSync('src/store/**/*.sql')) cpSync(file, file.replace(/^src/, 'dist'))
const commit = readCommit()
if (commit !== undefined) writeFileSync('dist/commit', `${commit}\n`)
