// What each room of the house may import: the direction of the data.

/** Files of the fold that work on the log. */
const foldOnLog = ['worker', 'take-over', 'tick-outputs', 'snapshot-store'].map((name) => `pipeline/fold/${name}.ts`);

/**
 * Rooms, the longest prefix wins, and the rooms that each may import from besides itself and `schemas`. infra may import all
 * rooms, because it wires them; tests may import anything.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  infra: [],
  'pipeline/geo': [],
  // The client of the history store: knows nothing but ClickHouse's protocol and a URL.
  'pipeline/store': ['pipeline/runtime'],
  'pipeline/avro': [],
  'pipeline/runtime': [],
  'pipeline/log': ['pipeline/runtime', 'pipeline/avro'],
  'pipeline/decode': ['pipeline/geo'],
  'pipeline/fold': ['pipeline/geo', 'pipeline/avro', 'pipeline/decode'],
  ...Object.fromEntries(foldOnLog.map((file) => [file, ['pipeline/runtime', 'pipeline/fold', 'pipeline/log', ...foldOnLog]])),
  // The partition needs the address, which is the CRC remainder in half of the formats.
  'pipeline/ingest': ['pipeline/avro', 'pipeline/runtime', 'pipeline/log', 'pipeline/decode/crc.ts', 'pipeline/feeders/feeder-ids.ts'],
  'pipeline/feeders': ['pipeline/runtime', 'pipeline/log'],
  // What is known of one aircraft: its columns, facts and texts.
  'pipeline/aircraft': ['pipeline/avro', 'pipeline/log'],
  'pipeline/reference': ['pipeline/geo', 'pipeline/runtime', 'pipeline/aircraft'],
  'pipeline/view': ['pipeline/geo', 'pipeline/avro', 'pipeline/runtime', 'pipeline/log', 'pipeline/aircraft'],
  'pipeline/tracks': ['pipeline/geo', 'pipeline/runtime', 'pipeline/log', 'pipeline/project/position-reader.ts'],
  'pipeline/project': ['pipeline/avro', 'pipeline/runtime', 'pipeline/log', 'pipeline/aircraft', 'pipeline/view', 'pipeline/store'],
  'pipeline/past': ['pipeline/avro', 'pipeline/log', 'pipeline/fold', ...foldOnLog, 'pipeline/aircraft', 'pipeline/view'],
  'pipeline/flights': ['pipeline/geo', 'pipeline/runtime', 'pipeline/log', 'pipeline/reference', 'pipeline/aircraft'],
  'pipeline/tools': [
    'pipeline/geo',
    'pipeline/avro',
    'pipeline/runtime',
    'pipeline/log',
    'pipeline/ingest',
    'pipeline/feeders/feeder-ids.ts',
    'pipeline/decode',
    'pipeline/fold',
    ...foldOnLog,
    // The name of its group.
    'pipeline/flights/worker.ts',
    'pipeline/aircraft',
    'pipeline/project',
    'pipeline/store',
  ],
  'pipeline/simulate': ['pipeline/geo', 'pipeline/runtime', 'pipeline/reference', 'pipeline/ingest'],
  'push/codec': [],
  'query-api/web': ['push/codec', 'pipeline/reference/addresses/country-names.ts', 'pipeline/reference/addresses/states.ts'],
  'query-api/queries': [
    'pipeline/geo',
    'pipeline/runtime',
    'pipeline/reference',
    'pipeline/flights',
    'pipeline/tracks',
    'pipeline/aircraft',
    'pipeline/view',
    'pipeline/store',
  ],
  'query-api/access': ['pipeline/runtime', 'pipeline/log', 'pipeline/feeders', 'query-api/queries/errors.ts'],
  'query-api/feeders': ['pipeline/runtime', 'pipeline/feeders', 'query-api/access', 'query-api/queries/errors.ts'],
  // Types of protocols that share the HTTP port.
  'query-api/protocol.ts': ['pipeline/view', 'query-api/access'],
  'query-api/http': [
    'pipeline/runtime',
    'pipeline/aircraft',
    'pipeline/view',
    // Airports and their JSON text.
    'pipeline/flights/airports.ts',
    'query-api/queries',
    'query-api/access',
    'query-api/feeders',
    'pipeline/feeders/feeder.ts',
    'query-api/protocol.ts',
    // The daily files.
    'exporters/catalog',
  ],
  'query-api/rpc': [
    'pipeline/geo',
    'pipeline/runtime',
    'pipeline/aircraft',
    'pipeline/view',
    'query-api/queries',
    'query-api/access',
    'query-api/protocol.ts',
    // WatchAircraft is on its ticks and topics, without sockets.
    'push/hub',
    'push/codec',
  ],
  'query-api/mcp': [
    'pipeline/geo',
    'pipeline/runtime',
    'pipeline/aircraft',
    'pipeline/view',
    'query-api/queries',
    'query-api/access',
    'query-api/protocol.ts',
    'query-api/rpc',
  ],
  'push/outputs': [
    'pipeline/geo',
    'pipeline/runtime',
    'pipeline/log',
    'pipeline/aircraft',
    'pipeline/view',
    // The one Beast encoder.
    'pipeline/ingest/beast-writer.ts',
  ],
  push: [],
  'push/hub': [
    'pipeline/geo',
    'pipeline/runtime',
    'pipeline/aircraft',
    'pipeline/view',
    'query-api/queries',
    'query-api/access',
    'push/codec',
    'push/transport',
  ],
  'push/transport': ['pipeline/runtime'],
  'exporters/jobs': ['pipeline/runtime'],
  // Files and folders: not even the log.
  'exporters/catalog': ['pipeline/runtime'],
  'exporters/daily': ['pipeline/runtime', 'pipeline/log', 'pipeline/store', 'pipeline/project', 'exporters/jobs'],
};
