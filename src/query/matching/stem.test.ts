import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { LANGUAGES, type Language } from '../../ontology/definition/language.ts'
import { analyseText } from './analyser.ts'
import { formsOf, STEM_MARK, stemOf, stemsOf } from './stem.ts'

/** Stored terms have these stems: other ones would need every index to be built again. */
const STEMS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  dutch: { eiland: 'eiland', eilanden: 'eiland', vluchten: 'vlucht' },
  english: { islands: 'island', running: 'run', cities: 'citi', city: 'citi', airport: 'airport' },
  french: { iles: 'ile', generaux: 'general', continuation: 'continu', chevaux: 'cheval' },
  german: { hauser: 'haus', hausern: 'haus', kindern: 'kind', stadte: 'stadt' },
  italian: { aeroporti: 'aeroport', aeroporto: 'aeroport', isole: 'isol' },
  portuguese: { cidades: 'cidad', aeroportos: 'aeroport', aeroporto: 'aeroport' },
  spanish: { canciones: 'cancion', aeropuertos: 'aeropuert', aeropuerto: 'aeropuert' },
}

describe('stems', () => {
  it.each(LANGUAGES)('are those of stored terms: %s', (language) => {
    for (const [term, stem] of Object.entries(STEMS[language])) {
      expect([term, stemOf(term, language)]).toEqual([term, stem])
    }
  })

  it('are indexed if they differ from their term, and terms that are too long have none', () => {
    const { terms } = analyseText('The islands, an island')
    expect(stemsOf(terms, 'english')).toEqual(['~island'])
    const long = `${'a'.repeat(64)}ing`
    expect(stemOf(long, 'english')).toBe(long)
  })

  it('find a text exactly if it has a term with the same stem', () => {
    const term = fc.oneof(
      fc.constantFrom('island', 'islands', 'run', 'running', 'runs', 'city', 'cities', '3d', 'ss'),
      fc.string({ unit: fc.constantFrom(...'aeinstuy'), minLength: 1, maxLength: 8 }),
    )
    const check = (language: Language, one: string, other: string) => {
      const indexed = new Set([other, ...stemsOf([other], language)])
      const isFound = formsOf(one, language).some((form) => indexed.has(form))
      expect(isFound).toBe(one === other || stemOf(one, language) === stemOf(other, language))
    }
    fc.assert(fc.property(fc.constantFrom(...LANGUAGES), term, term, check), fcOptions(500))
  })

  it('are no terms of a text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { terms, wholes } = analyseText(text)
        expect([...terms, ...wholes].filter((one) => one.startsWith(STEM_MARK))).toEqual([])
        for (const language of LANGUAGES) {
          for (const one of terms) expect(stemOf(one, language)).toMatch(/^\S+$/u)
        }
      }),
      fcOptions(200),
    )
  })
})
