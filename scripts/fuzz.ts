/** Sends random requests, reads damaged files and opens changed page tokens; see the help. */
import { http } from './fuzz/http.ts'
import { readers } from './fuzz/readers.ts'
import { tokens } from './fuzz/tokens.ts'
import { runCommand } from './measure/command.ts'

await runCommand({
  name: 'fuzz',
  about: `Tries random input. Each case has a seed; a failure prints it, and --only PART --seed SEED with a
count of 1 tries it again. The kept inputs in test/fuzz/corpus are tried first.`,
  parts: { http, tokens, readers },
  texts: {
    'collect=FILE': 'write one request for each kind of answer to FILE',
    'keep=FOLDER': 'write the files that were handled badly to FOLDER',
  },
})
