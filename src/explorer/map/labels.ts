/** The names on a map: countries that are large enough, then cities, as far as they do not touch. */
import { type Camera, type Point, toScreen } from './camera.ts'
import type { City, Country } from './world.ts'

export interface Label {
  readonly text: string
  readonly kind: 'country' | 'city'
  readonly at: Point
}

/** Pixels per degree from which cities are named. */
const CITIES_FROM = 7
const MOST_CITIES = 60
const HEIGHT = 14
/** A country may be a little narrower than its name. */
const ROOM = 1.25
/** Pixels from the dot of a city to its name. */
export const CITY_GAP = 5

type Area = readonly [left: number, top: number, right: number, bottom: number]

export function placeLabels(
  camera: Camera,
  size: Point,
  {
    countries,
    cities,
  }: { readonly countries: readonly Country[]; readonly cities: readonly City[] },
  widthOf: (text: string, kind: Label['kind']) => number,
): readonly Label[] {
  const taken: Area[] = []
  const [width, height] = size
  const fits = ([left, top, right, bottom]: Area) =>
    left >= 0 &&
    top >= 0 &&
    right <= width &&
    bottom <= height &&
    !taken.some((each) => left < each[2] && each[0] < right && top < each[3] && each[1] < bottom)
  const placed = countries.flatMap(({ name, longitude, latitude, degrees }): Label[] => {
    const at = toScreen(camera, size, [longitude, latitude])
    const text = widthOf(name, 'country')
    const area: Area = [at[0] - text / 2, at[1] - HEIGHT, at[0] + text / 2, at[1] + 2]
    if (text > degrees * camera.scale * ROOM || !fits(area)) return []
    taken.push(area)
    return [{ text: name, kind: 'country', at }]
  })
  if (camera.scale < CITIES_FROM) return placed
  const labels = [...placed]
  for (const [text, longitude, latitude] of cities) {
    const at = toScreen(camera, size, [longitude, latitude])
    const right = at[0] + CITY_GAP + widthOf(text, 'city')
    const area: Area = [at[0] - CITY_GAP, at[1] - HEIGHT / 2, right, at[1] + HEIGHT / 2]
    if (!fits(area)) continue
    taken.push(area)
    labels.push({ text, kind: 'city', at })
    if (labels.length - placed.length === MOST_CITIES) break
  }
  return labels
}
