/** The state of the service and of its store, as operators and the explorer read it. */
import { type Static, Type } from 'typebox'
import { flag, integer, namedObject, text, time } from './schema-parts.ts'
import { SourceReport } from './source-report.ts'

const typeNames = {
  ontology: text('API name of the ontology.'),
  objectType: text('API name of the object type.'),
}
const StoredBytes = Type.Optional(integer('Absent if it is expensive to determine.'))

export const StatusResponse = namedObject('ServiceStatus', {
  version: text('The release of the service: its version and, if it is known, its commit.'),
  startedAt: time('When this process started.'),
  uptimeSeconds: Type.Integer(),
  process: Type.Object(
    {
      residentBytes: integer('The memory that the process takes.'),
      heapBytes: integer('The part of it that JavaScript objects take.'),
      busyMs: integer(
        'The time that the main thread has worked since its start. Its growth between two requests, divided by the growth of `busyMs` and `idleMs` together, is the load.',
      ),
      idleMs: integer('The time that the main thread has waited.'),
    },
    { description: 'The process that answers.' },
  ),
  store: Type.Object({
    kind: Type.Enum(['sqlite', 'postgresql']),
    reachable: Type.Literal(true, {
      description: 'Without its store, the service answers 503 instead.',
    }),
    release: Type.Optional(text('The release that opened the store last.')),
    writesFail: Type.Optional(
      text('Why the last write was refused, such as a full disk. Absent while writes succeed.'),
    ),
    storedBytes: StoredBytes,
  }),
  objectTypes: Type.Array(
    Type.Object({
      ...typeNames,
      count: integer('The number of objects.'),
      version: integer('The newest version.'),
      oldestVersion: integer('The oldest version that can be read.'),
      storedBytes: StoredBytes,
    }),
  ),
  pageCache: Type.Object(
    {
      pages: Type.Integer(),
      bytes: Type.Integer(),
      maxBytes: integer('0 if the cache is disabled.'),
    },
    { description: 'The page cache of the process that answers.' },
  ),
  columns: Type.Optional(
    Type.Object(
      {
        residentBytes: integer('The memory that the columns process takes as a whole.'),
        usedBytes: integer('The memory that columns take, and questions in progress.'),
        maxBytes: integer('The memory that they may take, see `OQS_COLUMNS_MEMORY`.'),
        objectTypes: Type.Array(
          Type.Object({
            ...typeNames,
            state: Type.Enum(['building', 'ready', 'tooLarge', 'failed']),
            objects: integer('The number of objects when the columns were built.'),
            bytes: integer('The memory that the columns of the type take at the moment.'),
            fileBytes: integer(
              'The size of all its columns, which are read as questions need them; 0 without a file.',
            ),
            building: Type.Optional(
              Type.Object(
                {
                  objects: integer('The number of objects that were read.'),
                  totalObjects: Type.Integer(),
                },
                { description: 'While columns are built from the table.' },
              ),
            ),
            version: integer('The version that the columns have caught up with.'),
            builtAt: Type.Optional(time('When the columns were built. Absent if there are none.')),
          }),
        ),
      },
      {
        description:
          'The columns that answer counts, facets, aggregations and searches. Absent if they are turned off.',
      },
    ),
  ),
  sources: Type.Array(SourceReport, {
    description:
      'The last report of each `oqs sync`, or of another program that repeats a database.',
  }),
  backgroundWork: Type.Object({
    replacements: Type.Array(
      Type.Object({
        ...typeNames,
        replacement: Type.String(),
        count: integer('The number of objects that have arrived.'),
      }),
      { description: 'Replacements that are not published yet.' },
    ),
    rewrites: Type.Array(
      Type.Object({
        ...typeNames,
        phase: Type.Enum(['copying', 'indexing', 'catchingUp']),
        objects: integer('The number of objects that were copied.'),
        totalObjects: Type.Integer(),
      }),
      {
        description: 'Object types whose objects are converted to a changed definition.',
      },
    ),
    tablesToRemove: integer('Tables that maintenance has still to remove.'),
    reclaiming: flag('Whether this process removes versions that nobody can read any more.'),
  }),
})

export type StatusResponse = Static<typeof StatusResponse>
