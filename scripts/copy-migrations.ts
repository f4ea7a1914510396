/** Copies SQL migrations into the build, because the compiler only emits JavaScript. */
import { cpSync, globSync } from 'node:fs'

for (const file of globSync('src/**/migrations/*.sql')) cpSync(file, file.replace(/^src/, 'dist'))
