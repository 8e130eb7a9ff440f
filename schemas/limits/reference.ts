// Limits of the reference data.

export const referenceLimits = {
  /** How often a service checks for new imports. */
  referencePollMs: 2000,
  /** Attempts to load tables while imports replace them. */
  referenceLoadAttemptsMax: 5,
  /** Length of the name of a file in an archive. */
  referenceArchiveNameBytesMax: 64 * 1024,
  /** Size of a table's file. */
  referenceTableBytesMax: 1024 ** 3,
  /** Length of a line of an imported file, or of a row with several lines; and of the text in one cell. */
  referenceLineBytesMax: 64 * 1024,
  referenceTextCharactersMax: 4096,
  /** Airports of one flight. */
  referenceRouteStopsMax: 20,
  /** Example locations in an import's report for each reason of refusal. */
  referenceExamplesMax: 3,
} as const;
