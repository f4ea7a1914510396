/** Sends random requests, reads damaged files and opens changed page tokens; see the help. */
import { fuzzHttp } from './fuzz/http.ts'
import { fuzzReaders } from './fuzz/readers.ts'
import { fuzzTokens } from './fuzz/tokens.ts'
import {
  chosenParts,
  chosenStores,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  TEXT,
  wholeNumber,
} from './measure/command-line.ts'
import { openWorkspace } from './measure/workspace.ts'

const PARTS = ['http', 'readers', 'tokens'] as const

const REQUESTS = 50_000
const FILES = 20_000
const TOKENS = 1_000_000

const HELP = `Usage: npm run fuzz -- [options]

Tries random input in three parts. Each case has a seed; a failure prints it, and
--only PART --seed SEED with a count of 1 tries it again.

1. http: requests generated from openapi.json for every operation, most of them changed so that
   they are invalid. Every answer must be declared, and none may be a 5xx.
2. readers: damaged Parquet files, compressed files and archives. Each must give rows or an error
   that names the problem, in limited time and memory.
3. tokens: changed page tokens, opened in this process, and every hundredth sent to a service. None
   may be accepted.

The kept inputs in test/fuzz/corpus are tried first. The exit status is 0, 1 when a check failed, or
2 when the run failed.

  --only PART       one part: ${PARTS.join(', ')}
  --requests N      requests to send (${REQUESTS.toLocaleString('en')})
  --files N         files to read (${FILES.toLocaleString('en')})
  --tokens N        page tokens to open (${TOKENS.toLocaleString('en')})
  --seed N          the first seed (1)
  --collect FILE    write one request for each kind of answer to FILE
  --keep FOLDER     write the files that were handled badly to FOLDER
${STORE_HELP}
  --help            this text`

await runScript({
  name: 'fuzz',
  help: HELP,
  options: {
    ...STORE_FLAGS,
    only: TEXT,
    requests: TEXT,
    files: TEXT,
    tokens: TEXT,
    seed: TEXT,
    collect: TEXT,
    keep: TEXT,
  },
  async run({ only, collect, keep, ...values }) {
    const parts = chosenParts(only, PARTS)
    const seed = wholeNumber('--seed', values.seed, { min: 0, usual: 1 })
    const requests = wholeNumber('--requests', values.requests, { min: 0, usual: REQUESTS })
    const files = wholeNumber('--files', values.files, { min: 0, usual: FILES })
    const tokens = wholeNumber('--tokens', values.tokens, { min: 0, usual: TOKENS })
    using workspace = openWorkspace()
    const results: boolean[] = []
    for (const store of chosenStores(values)) {
      if (parts.includes('http')) {
        results.push(await fuzzHttp(workspace, store, { seed, requests, collect }))
      }
      if (parts.includes('tokens'))
        results.push(await fuzzTokens(workspace, store, { seed, tokens }))
    }
    if (parts.includes('readers')) results.push(await fuzzReaders({ seed, files, keep }))
    return results.every((passed) => passed)
  },
})
