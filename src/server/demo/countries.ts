import { readPackageFile } from './data-packages.ts'
import { type DemoObject, nullIf } from './demo-object.ts'

/** A country of `world-countries`: the members that the demo uses. */
interface SourceCountry {
  readonly cca2: string
  readonly cca3: string
  readonly name: Names & { readonly native: Readonly<Record<string, Names>> }
  readonly translations: Readonly<Record<string, Names>>
  readonly capital: readonly string[]
  readonly region: string
  readonly subregion: string
  readonly independent: boolean | null
  readonly unMember: boolean
  readonly landlocked: boolean
  readonly area: number
  readonly latlng: readonly [latitude: number, longitude: number]
  readonly flag: string
  readonly languages: Readonly<Record<string, string>>
  readonly borders: readonly string[]
  readonly currencies: Readonly<Record<string, { name: string; symbol: string }>>
}

interface Names {
  readonly common: string
  readonly official: string
}

export function readCountries(): DemoObject[] {
  const text = readPackageFile('world-countries', 'countries.json').toString('utf8')
  const countries = JSON.parse(text) as SourceCountry[]
  const codes = new Map(countries.map(({ cca2, cca3 }) => [cca3, cca2]))
  return countries
    .map((country) => toCountry(country, codes))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
}

function toCountry(country: SourceCountry, codes: ReadonlyMap<string, string>) {
  const [latitude, longitude] = country.latlng
  return {
    code: country.cca2,
    name: country.name.common,
    officialName: country.name.official,
    alpha3: country.cca3,
    capital: country.capital[0] ?? null,
    region: country.region,
    subregion: nullIf(country.subregion, ''),
    independent: country.independent,
    unMember: country.unMember,
    landlocked: country.landlocked,
    areaKm2: nullIf(country.area, -1),
    location: { type: 'Point', coordinates: [longitude, latitude] },
    flag: nullIf(country.flag, ''),
    languages: Object.values(country.languages),
    borders: country.borders.map((alpha3) => codes.get(alpha3) ?? alpha3),
    currencies: Object.entries(country.currencies).map(([code, { name, symbol }]) => ({
      code,
      name,
      symbol,
    })),
    names: namesOf(country),
  }
}

/** Returns each name once per language: English, native, then the common names in others. */
function namesOf({ name, translations }: SourceCountry): { language: string; text: string }[] {
  const both = ([language, { common, official }]: readonly [string, Names]) => [
    { language, text: common },
    { language, text: official },
  ]
  const all = [
    ...both(['eng', name]),
    ...Object.entries(name.native).flatMap(both),
    ...Object.entries(translations).map(([language, { common }]) => ({ language, text: common })),
  ]
  return [...new Map(all.map((one) => [`${one.language} ${one.text}`, one])).values()]
}
