/** Changes of the catalogue that make a store look as if another build had created it. */
export const OTHER_BUILDS = [
  {
    creator: 'a build with another catalogue',
    change: `UPDATE oqs_migration SET checksum = 'other'`,
    message: /^another build of the service created it.*oqs ontology export.*oqs ontology import/,
  },
  {
    creator: 'a build with other object tables',
    change: `UPDATE oqs_migration SET object_tables = 'other'`,
    message: /^another build of the service created it.*oqs ontology export.*oqs ontology import/,
  },
  {
    creator: 'a newer release',
    change: `INSERT INTO oqs_migration SELECT max(number) + 1, 'new', 'new' FROM oqs_migration`,
    message:
      /^a newer release created it: it has schema 2, and this release knows 1\. Run that release, or a newer one$/,
  },
] as const
