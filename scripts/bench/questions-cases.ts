/** Fifteen questions of an analyst, and how the explorer answers each: for the demo and for a large file. */
import { chartShown, textShown, type User } from './questions-user.ts'

/** What the questions are about, by the names on the screen. */
export interface Vocabulary {
  readonly ontology: string
  readonly type: string
  /** A property with many values, and one with few. */
  readonly group: string
  readonly few: string
  readonly amount: string
  readonly other: string
  readonly time: string
  /** A link, one of the properties of the linked type, and a value of it. */
  readonly link: readonly [link: string, of: string, property: string, value: string]
  /** A type with a property that some objects lack, by its API name. */
  readonly gaps: readonly [type: string, property: string]
  /** A type with positions, the property, and a measure of it. */
  readonly place: readonly [type: string, property: string, measure: string]
  /** An object by its name, as it is found. */
  readonly find: readonly [text: string, name: string]
  /** Two objects of a type: the first by its key, the second by its name. */
  readonly compare: readonly [type: string, key: string, other: string]
}

export const DEMO_WORDS: Vocabulary = {
  ontology: 'aviation',
  type: 'flight',
  group: 'Origin',
  few: 'Late',
  amount: 'Delay minutes',
  other: 'Distance miles',
  time: 'Date',
  link: ['Origin airport ›', 'Of origin airport', 'State', 'TX'],
  gaps: ['city', 'population'],
  place: ['airport', 'Location', 'Runway feet'],
  find: ['Atlanta', 'Hartsfield'],
  compare: ['airport', 'ATL', 'Denver International'],
}

export interface AnalystQuestion {
  readonly name: string
  readonly answer: (user: User, words: Vocabulary) => Promise<void>
}

const COUNT = 'h1 + span'
const open = (user: User, { ontology }: Vocabulary, type: string) =>
  user.click(user.page.locator(`a[href$="/o/${ontology}/${type}"]`).first())

async function openCharts(user: User, words: Vocabulary): Promise<void> {
  await open(user, words, words.type)
  await user.press('Charts')
}

async function measure(user: User, kind: string, property: string): Promise<void> {
  await user.choose('Measure', kind)
  await user.choose('Measured property', property)
}

async function openColumn(user: User, words: Vocabulary): Promise<void> {
  const [type, property] = words.gaps
  await open(user, words, type)
  const menu = user.page.getByRole('button', { name: `Column ${property}`, exact: true })
  await menu.waitFor()
  await user.until(textShown(`[aria-label="About ${property}"] dt`, /Missing/), () =>
    user.click(menu),
  )
}

/** The first group of the chart by time, as a filter. */
async function choosePeriod(user: User, { time }: Vocabulary): Promise<void> {
  await user.choose('By', time)
  await user.choose('By: steps', 'by month')
  const bars = user.page.getByRole('group', { name: `Count by ${time} (month)` })
  await user.click(bars.getByRole('button').nth(1))
  await user.page.waitForURL(/w=/)
}

export const QUESTIONS: readonly AnalystQuestion[] = [
  {
    name: 'Top ten by a metric',
    answer: async (user, words) => {
      await openCharts(user, words)
      await measure(user, 'Average', words.amount)
      await user.until(chartShown(`Average of ${words.amount} by ${words.group}`), () =>
        user.choose('By', words.group),
      )
    },
  },
  {
    name: 'A metric over time',
    answer: async (user, words) => {
      await openCharts(user, words)
      await measure(user, 'Sum', words.amount)
      await user.until(chartShown(`Sum of ${words.amount} by ${words.time}`), () =>
        user.choose('By', words.time),
      )
    },
  },
  { name: 'Share of missing values', answer: openColumn },
  {
    name: 'Distribution of a number',
    answer: async (user, words) => {
      await openCharts(user, words)
      const title = user.page.getByRole('button', { name: words.amount, exact: true })
      await title.waitFor()
      await user.until(chartShown(`Count by ${words.amount}`), () => user.click(title))
    },
  },
  {
    name: 'Outliers, as rows',
    answer: async (user, words) => {
      await openCharts(user, words)
      await user.choose('By', words.amount)
      const bars = user.page.getByRole('group', { name: `Count by ${words.amount}` })
      await user.click(bars.getByRole('button').last())
      await user.page.waitForURL(/w=/)
      const rows = `document.querySelector('[aria-rowindex="2"] [role="gridcell"] a') !== null`
      await user.until(rows, () => user.press('Table'))
    },
  },
  {
    name: 'Pivot table with totals',
    answer: async (user, words) => {
      await openCharts(user, words)
      await measure(user, 'Sum', words.other)
      await user.choose('By', words.group)
      await user.choose('And by', words.few)
      const title = `Sum of ${words.other} by ${words.group} and ${words.few}, as a table`
      await user.until(chartShown(title), () => user.choose('Form', 'table'))
    },
  },
  {
    name: 'Filter across a link',
    answer: async (user, words) => {
      const [link, of, property, value] = words.link
      await open(user, words, words.type)
      await user.press('Filter')
      await user.choose('Property', link)
      await user.choose(of, property)
      await user.choose('Condition', 'is')
      await user.type('Value', value)
      const before = await user.page.locator(COUNT).innerText()
      const counted = `((text) => /\\d/.test(text) && text !== ${JSON.stringify(before)})(document.querySelector('${COUNT}')?.textContent ?? '')
        && document.querySelector('[role="grid"][aria-busy="false"]') !== null`
      await user.until(counted, () => user.press('Add the filter'))
    },
  },
  {
    name: 'Number of distinct values',
    answer: async (user, words) => {
      await openCharts(user, words)
      await user.choose('Measure', 'Distinct values')
      const title = `Distinct values of ${words.group}`
      const shown = `document.querySelector('figure[aria-busy="false"] p[title=${JSON.stringify(title)}]') !== null`
      await user.until(shown, () => user.choose('Measured property', words.group))
    },
  },
  {
    name: 'Percentile by group',
    answer: async (user, words) => {
      await openCharts(user, words)
      await measure(user, '90th percentile', words.amount)
      await user.until(chartShown(`90th percentile of ${words.amount} by ${words.group}`), () =>
        user.choose('By', words.group),
      )
    },
  },
  {
    name: 'Two periods compared',
    answer: async (user, words) => {
      await openCharts(user, words)
      await choosePeriod(user, words)
      await user.choose('By', words.few)
      const shown = textShown('figure[aria-busy="false"] li', /the period before/)
      await user.until(shown, () => user.choose('Compared with', 'the period before'))
    },
  },
  {
    name: 'A metric by place',
    answer: async (user, words) => {
      const [type, property, amount] = words.place
      await open(user, words, type)
      await user.press('Charts')
      await measure(user, 'Average', amount)
      await user.until(chartShown(`Average of ${amount} by ${property}`), () =>
        user.choose('By', property),
      )
    },
  },
  {
    name: 'Saved and shared view',
    answer: async (user, words) => {
      await open(user, words, words.type)
      await user.press('Views')
      await user.type('Save this view as', 'Shared')
      await user.click(user.page.getByLabel(/^Share it/))
      const saved = `document.querySelector('[popover]:popover-open, dialog[open]') === null`
      await user.until(saved, () => user.press('Save'))
    },
  },
  {
    name: 'Result in Excel',
    answer: async (user, words) => {
      await openCharts(user, words)
      await choosePeriod(user, words)
      await user.press('Table')
      await user.press('Export')
      await user.press('Excel')
      await user.untilFile(() => user.press('Download'))
    },
  },
  {
    name: 'Result in pandas',
    answer: async (user, words) => {
      await openCharts(user, words)
      await choosePeriod(user, words)
      await user.press('Table')
      await user.press('Request')
      await user.until(textShown('aside pre', /pandas/), () => user.press('pandas'))
    },
  },
  {
    name: 'Find anything',
    answer: async (user, words) => {
      const [text, name] = words.find
      await user.click(user.page.getByRole('button', { name: /^Find/ }).first())
      await user.page.getByRole('option').first().waitFor()
      const found = textShown('[role="option"]', new RegExp(name))
      await user.until(found, () => user.type('Find objects', text))
    },
  },
  {
    name: 'Two objects compared',
    answer: async (user, words) => {
      const [type, key, other] = words.compare
      await open(user, words, type)
      await user.type('Search all texts', key)
      await user.click(user.page.getByRole('link', { name: key, exact: true }))
      await user.press('Compare')
      await user.type('Name or key of another object', other)
      const found = user.page.getByRole('button', { name: new RegExp(other) }).first()
      await found.waitFor()
      const shown = textShown('main *', /properties differ/)
      await user.until(shown, () => user.click(found))
    },
  },
]
