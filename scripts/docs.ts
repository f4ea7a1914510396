/** Writes the generated parts of the documents, and the site. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildSite } from './docs/build-site.ts'
import { CONDITIONS_PAGE, writeConditions } from './docs/conditions-page.ts'

const HELP = `Usage: npm run docs -- [options]

Writes the generated part of ${CONDITIONS_PAGE}, and the documentation as a static site.

  --out FOLDER       where the site is written (default: site)
  --source-url URL   where sources can be read, such as https://host/owner/name/blob/main
  --help             show this text`

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'site' },
    'source-url': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(HELP)
} else {
  writeFileSync(CONDITIONS_PAGE, writeConditions(readFileSync(CONDITIONS_PAGE, 'utf8')))
  const count = buildSite({ folder: values.out, sourceUrl: values['source-url'] })
  console.log(`${count} pages in ${values.out}`)
}
