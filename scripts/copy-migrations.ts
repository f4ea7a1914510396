/** Copies the SQL of migrations into the build, because the compiler only emits JavaScript. */
import { cpSync, globSync } from 'node:fs'

for (const file of globSync('src/store/**/*.sql')) cpSync(file, file.replace(/^src/, 'dist'))
