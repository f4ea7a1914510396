import { cpSync, globSync } from 'node:fs'

/** The compiler leaves SQL behind; a build needs it beside the code that runs it. */
for (const file of globSync('src/**/migrations/*.sql')) cpSync(file, file.replace(/^src/, 'dist'))
