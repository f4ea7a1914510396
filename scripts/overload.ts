/** Measures what one caller can do to others; see the help. */
import { runCommand } from './measure/command.ts'
import { attacks, columns, descriptors, floods, memory } from './overload/bystander.ts'
import { eventLoop } from './overload/event-loop.ts'
import { ATTACKS, FLOODS } from './overload/loads.ts'

await runCommand({
  name: 'overload',
  about: `Measures what one caller can do to others. About 6 minutes and 2 GB per store; a quick run about a
minute, which judges only refusals and whether the service survives.`,
  parts: { floods, attacks, columns, descriptors, eventLoop, memory },
  texts: {
    'flood=NAME,…': `the floods to run: ${Object.keys(FLOODS).join(', ')}`,
    'attack=NAME,…': `the attacks to run: ${Object.keys(ATTACKS).join(', ')}`,
  },
})
