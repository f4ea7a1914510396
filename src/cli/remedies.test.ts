import { expect, it } from 'vitest'
import type { Remedy } from '../formats/remedy.ts'
import { describeNote, describeOption, describeRemedy } from './remedies.ts'

it.each<[Remedy, string]>([
  [{ do: 'raiseTemporaryBytes' }, 'Decompress it first, or raise --max-temp-bytes.'],
  [
    { do: 'skipColumn', column: 'a', canBeText: true },
    'Skip it with --ignore a, or read its bytes as text with --as a=string.',
  ],
  [
    { do: 'skipOrMapColumns', columns: ['an extra', 'other'] },
    "Skip them with --ignore 'an extra', or map them with --map 'an extra=PROPERTY'.",
  ],
  [
    { do: 'provideKey', property: 'row', areNumbersTaken: true },
    'Map a column with --map COLUMN=row, or number the rows from 1 with --row-number row; objects that have these numbers are overwritten, or kept with --append; --replace replaces all objects.',
  ],
  [{ do: 'startAgain' }, 'Run without --resume to start again.'],
])('describes %o by options', (remedy, text) => {
  expect(describeRemedy(remedy)).toBe(text)
})

it('appends what can be done to a note', () => {
  const formats = ['DD/MM/YYYY', 'MM/DD/YYYY']
  expect(
    describeNote({ text: 'at: a string', remedies: [{ do: 'chooseDateFormat', formats }] }),
  ).toBe('at: a string; pass --date-format DD/MM/YYYY or --date-format MM/DD/YYYY')
})

it('names the option that is at fault', () => {
  expect(describeOption({ option: { name: 'geopoints', value: 'place' } })).toBe(
    '--geopoint place: ',
  )
  expect(describeOption(new Error('other'))).toBe('')
})
