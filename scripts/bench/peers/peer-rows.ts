import type { PeerRow } from '../peer-report.ts'
import { median, quantile } from '../statistics.ts'
import type { PeerCase, PeerMeasurements, PeerSlice } from './peer-rounds.ts'

/** Slices → rows and sentences of the report. */

export const METHOD_NOTES: readonly string[] = [
  `Walk: all objects in the order of their keys. Query: category = rotor, one object in seven, in \
the same order. Before anything was measured each walk was made once from end to end, and every \
value of every object compared. Measured pages are spread evenly over the walk.`,
  `CPU: the processes of the server that answers, without the database and without the load \
generator. Peers with files or memory of their own are compared with the service on SQLite, those \
on PostgreSQL with the service on the same PostgreSQL server. Times: the median over the rounds \
of what the two took in the same round.`,
  `Requests come from Node's own client, which takes more of the cores than that of the tables above: \
requests/s are not to be compared with those.`,
  `The service asks every request for a token and checks it; its peers let everybody in, but for \
Directus.`,
]

/** The microseconds of one slice that are compared. */
type Counted = (slice: PeerSlice) => number | undefined

const ofServer: Counted = (slice) => slice.serverMicros
const withDatabase: Counted = ({ serverMicros, databaseMicros }) =>
  serverMicros && databaseMicros && serverMicros + databaseMicros

export function peerRows(measurements: PeerMeasurements): readonly PeerRow[] {
  return [...measurements].map(([each, slices]) => ({
    name: caseName(each),
    question: each.asked.question,
    // Microseconds an object are milliseconds a thousand objects.
    cpuMsPer1000Objects: medianOf(slices.map(ofServer)),
    requestsPerSecond: median(slices.map((slice) => slice.requestsPerSecond)),
    p50Ms: median(slices.flatMap((slice) => slice.latenciesMs)),
    p99Ms: quantile(
      slices.flatMap((slice) => slice.latenciesMs),
      0.99,
    ),
    timesService: timesService(each, measurements, ofServer),
  }))
}

/** What the database adds to both sides, where it can be seen. */
export function databaseNotes(measurements: PeerMeasurements): readonly string[] {
  return [...measurements].flatMap(([each, slices]) => {
    const cpu = medianOf(slices.map((slice) => slice.databaseMicros))
    if (each.rival !== 'PostgreSQL' || Number.isNaN(cpu)) return []
    const times = timesService(each, measurements, withDatabase).toFixed(1)
    return `${caseName(each)}, ${each.asked.question}: the database took ${cpu.toFixed(2)} ms more \
for 1,000 objects; with it, ${times} × the service.`
  })
}

function caseName({ name, asked }: PeerCase): string {
  return `${name}, pages of ${asked.pageSize.toLocaleString('en')}`
}

/** The service on the same kind of store stands before all that are compared with it. */
function timesService(each: PeerCase, measurements: PeerMeasurements, counted: Counted): number {
  const service = measurements.keys().find(({ rival, asked }) => {
    return rival === each.rival && asked === each.asked
  })
  const base = service === undefined ? [] : (measurements.get(service) ?? [])
  const slices = measurements.get(each) ?? []
  return medianOf(
    slices.map((slice, round) => {
      const other = base[round]
      const [micros, servicesMicros] = [counted(slice), other && counted(other)]
      return micros && servicesMicros && micros / servicesMicros
    }),
  )
}

/** NaN where the system does not tell. */
function medianOf(numbers: readonly (number | undefined)[]): number {
  return median(numbers.filter((number) => number !== undefined))
}
