/** Writes the generated parts of the documents. */
import { readFileSync, writeFileSync } from 'node:fs'
import { CONDITIONS_PAGE, writeConditions } from './docs/conditions-page.ts'

writeFileSync(CONDITIONS_PAGE, writeConditions(readFileSync(CONDITIONS_PAGE, 'utf8')))
