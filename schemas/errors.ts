// The error catalogue. Codes are stable, documented here and never reused. Each way in reads its column: the edges decide nothing about an error.

/** Status codes of gRPC. */
export const grpcCodes = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;
type GrpcCode = (typeof grpcCodes)[keyof typeof grpcCodes];

interface ErrorKind {
  /** True if the same call may succeed later without changes by the caller. */
  readonly retriable: boolean;
  /** Status of HTTP; without it the error is an internal one there. */
  readonly http?: number;
  /** Status code of gRPC; without it the error is an internal one there. */
  readonly grpc?: GrpcCode;
  /** Close code of WebSocket, of an error that ends a stream. */
  readonly close?: number;
  /** Seconds after which the same call may succeed, unless the place that fails knows better. */
  readonly retryAfterS?: number;
  /** The problem, and what to do about it. `{name}` is replaced by a detail. */
  readonly message: string;
}

/** A text alone is the message of an error that has nothing else; no retry helps unless the row says so. */
const table = {
  // secret of the installation
  'secret.unreadable':
    'the secret of this installation in {path} cannot be read: {detail}. It is 64 hex digits, as `openssl rand -hex 32` makes them',
  'secret.not_private': 'others may read the secret of this installation in {path}: take their rights away with chmod 600',
  'secret.damaged':
    'the secret of this installation in {path} is damaged: expected 64 hex digits. Restore the file from a backup: with another secret every feeder has a new id',
  'secret.differs':
    'the secret of this process has the fingerprint {own}, but this installation began with {known}: give every process the same secret, or restore it from a backup',
  // limits of callers
  'limits.damaged':
    'the counts of callers in {path} are damaged: {detail}. Restore the folder from a backup; or remove it, and all trials and budgets begin again',
  'limits.not_writable': { retriable: true, message: 'the counts of callers cannot be saved in {path}: {detail}' },
  // feeders, as operators name them
  'feeders.no_installation': {
    retriable: true,
    message: 'nothing is known of feeders here yet: start an ingest first, and use its secret',
  },
  'feeders.unknown': 'no feeder is known by {feeder}: `squitter feeders list` has all. Those of private networks have no address there',
  'feeders.several': 'several feeders have the address {feeder}: name one of {ids}',
  'feeders.no_key': 'the feeder {id} has no key: nobody has claimed it',
  // operators' commands to a running service
  'operator.no_service': {
    retriable: true,
    message:
      'no service runs on the data folder {path}: start it (`squitter start --data {path}`), name its folder with --data, or a cluster with --brokers, --registry and --secret-file',
  },
  'operator.no_response': { retriable: true, message: 'the service on {path} did not respond as expected: {detail}' },
  'operator.not_allowed': 'only the user of the service may use {path}: run the command as that user',
  'operator.path_too_long':
    'the path of the socket {path} has {bytes} bytes, and a socket may have {limit}: use the command in or beside the data folder, with a relative --data',
  'operator.bad_request': 'the service does not know this request: use the command of its version',
  // log
  'log.in_use': 'the data folder {path} is in use by process {pid}: stop that process first, or choose another folder with --data',
  'log.not_found': 'there is no log in {path}',
  'log.damaged':
    'the log in {path} is damaged: {detail}. `squitter log check` lists all damage, `squitter log repair` keeps the intact records; or restore the folder from a backup',
  'log.older_format':
    'the log in {path} has format {found}, from before version 0.1.0; this version reads format {known}: start with a new folder or new topics. `squitter replay --from-log` of the version that wrote it sends its frames to a running service',
  'log.newer_format':
    'the log in {path} has format {found}, but this version supports formats up to {known}: use the version that wrote it, or a later one',
  'log.not_writable': 'the data folder {path} cannot be written: {detail}',
  'log.not_readable': 'the log in {path} cannot be read: {detail}',
  'log.no_space': { retriable: true, message: 'no disk space is left for the log in {path}: {detail}. The log is intact' },
  'log.disk_too_small':
    'the disk of the data folder {path} has {size} MiB, and the service needs at least {least} MiB: choose a folder on a larger disk with --data',
  'log.no_descriptors': {
    retriable: true,
    message: 'no file descriptors are left for the log in {path}: {detail}. The log is intact; raise the limit (ulimit -n)',
  },
  'log.io_failed':
    'the disk of the log in {path} fails: {detail}. Check the system log for disk errors, and copy the folder to another disk',
  'log.read_only': 'the log in {path} is on a file system that is mounted read-only: {detail}. The log is intact',
  'log.unknown_topic': 'there is no topic {topic}',
  'log.unknown_partition': 'topic {topic} has no partition {partition}',
  'log.history_behind':
    'the history lacks {records} records of {topic}: start the service until it has them, and stop it; or remove the folder {folder} if no history is kept any more',
  'log.partitions_differ':
    'the log in {path} was created with {found} frame partitions, not {wanted}: `squitter log partitions` changes their number',
  'log.record_too_large': 'a record has {bytes} bytes; topic {topic} allows {limit}',
  'log.commit_conflict': 'group {group} is at offset {found} of {topic}/{partition}, not at {wanted}: another worker took over',
  'log.offset_contradiction':
    'group {group} cannot continue in {topic}/{partition}: {detail}. Its topics are from different points in time; see the runbook SquitterGroupOffsetWrong',
  'log.offset_out_of_range': 'offset {offset} of {topic}/{partition} is out of range: the log has {earliest} to {next}',
  'log.closed': 'the log is closed',
  'log.topics_missing': 'Kafka has no topics {topics}: create them first, with squitter topics --create',
  'log.topic_mismatch': 'topics on Kafka differ from the topic table:\n{differences}',
  'log.record_too_old': 'a record of {time} is older than the {days} days that topic {topic} keeps: Kafka would delete it at once',
  'log.too_much_waiting': { retriable: true, message: '{bytes} bytes are queued for Kafka; the limit is {limit}' },
  'log.commit_failed': 'the commit of group {group} in {topic}/{partition} failed, but may have taken effect: {detail}',
  'log.no_zstd': 'records are compressed with zstd, which this platform cannot decompress: use Node 22.15 or later',
  // schemas
  'schema.incompatible': 'schema {subject} is incompatible with its earlier versions: {detail}',
  'schema.unknown_id': 'there is no schema with id {id}',
  'schema.registry_failed': { retriable: true, message: 'unexpected response from the schema registry at {url}: {detail}' },
  'schema.malformed_value': 'a value of {subject} cannot be read: {detail}',
  // fold
  'fold.newer_version':
    'fold version {found} wrote this partition, but this program has version {own}: run the newer program. To return to this program, start with an empty folder or new topics and replay the frames',
  'snapshot.unreadable': 'a snapshot of the fold is not usable: {detail}',
  // input and configuration
  'input.unreadable': 'cannot read {path}: {detail}',
  'output.not_writable': 'cannot write {path}: {detail}',
  'input.empty': '{path} is empty: there are no frames to read',
  'input.unknown_format': '{path} has an unknown format: expected Beast, AVR or t,hex CSV',
  'usage.unknown_command': 'there is no command {command}',
  'usage.unknown_flag': 'there is no flag {flag}',
  'usage.unknown_variable': 'there is no variable {name}',
  'usage.bad_value': '{flag} cannot be {value}: {detail}',
  'usage.unknown_word': 'unexpected argument for {command}: {word}',
  'usage.missing_argument': '{argument} is missing',
  'input.older_than_log': 'the file is older than the log, which has frames up to {newest}: use an empty folder',
  // network
  'connect.failed': { retriable: true, message: 'cannot connect to {address}: {detail}' },
  'listen.port_in_use': '{address} is in use by another program: choose another with {flag}',
  'listen.failed': 'cannot listen on {address}: {detail}',
  // processes
  'install.incomplete': 'the installation is incomplete: {detail}. Install Squitter again',
  'worker.failed': 'the {worker} worker stopped: {detail}',
  'audit.frames_expired':
    'frames before offset {offset} of partition {partition} are deleted: the fold cannot be repeated from its start. --from TIME begins at a kept snapshot',
  'audit.no_snapshot':
    'partition {partition} has no kept snapshot of this fold version whose frames are all in the log: without --from the audit begins at the first frame',
  // real services on this machine
  'local.missing_program': '{detail}',
  'local.fetch_failed': { retriable: true, message: 'cannot download Kafka and the schema registry: {detail}' },
  'local.not_started': '{program} did not start: {detail}',
  // verify
  'verify.no_answer': { retriable: true, message: 'no response from {source}: {detail}' },
  'verify.not_aircraft': 'the response of {source} is not aircraft as JSON: {detail}',
  'verify.too_many_answers':
    'more than {limit} responses are ahead of the clock here: if the clocks differ, set the difference with --offset',
  'verify.nothing_compared': 'no aircraft could be compared: {detail}',
  'cluster.too_slow': { retriable: true, message: '{what} was not reached within {seconds} s; not ready: {members}' },
  'service.stop_timeout': 'the service did not stop within {seconds} s and was ended; its log is intact',
  // reference data
  'reference.damaged': 'the reference data in {path} are damaged: {detail}. Import them again',
  'reference.in_use': { retriable: true, message: 'another import is running, process {pid} (lock file {path})' },
  'reference.unknown_format': '{path} has no reference data in a known format, nothing was imported: {detail}',
  'reference.nothing_taken': 'all rows of {path} were refused, nothing was imported: {detail}',
  // maps of others
  'map.folder_unusable':
    'the folder {path} is not a copy of tar1090: {detail}. Name the folder that has its `index.html` with --tar1090, such as /usr/local/share/tar1090/html',
  'map.json_folder_unusable':
    'the folder {path} of --write-json cannot be used: {detail}. It must exist, and the service must be allowed to write in it',
  'map.json_folder_in_use':
    'process {pid} writes into the folder of --write-json (lock file {path}): stop that process, or choose another folder',
  // daily files
  'export.no_duckdb':
    'the optional package @duckdb/node-api is not installed, which writes the daily files: {detail}. Install with `npm ci`',
  'export.no_space': {
    retriable: true,
    message: 'no disk space is left in {path}: {detail}. Nothing was published; free some space and run it again',
  },
  'export.failed': { retriable: true, message: 'the export in {path} failed: {detail}. Nothing was published' },
  'export.in_use': { retriable: true, message: 'process {pid} exports into this folder (lock file {path}): wait for it' },
  'export.no_history':
    'no service with history runs on {path}: start it, name a ClickHouse server with --clickhouse URL, or make the files from the log alone with --rebuild',
  'export.day_failed': { retriable: true, message: 'the daily files of {day} were not published: {detail}' },
  'export.upload_failed': { retriable: true, message: 'the daily files of {day} could not be stored at {url}: {detail}' },
  'export.day_open': { retriable: true, message: 'the day {day} is not over: it can be exported from {time} on' },
  'export.day_incomplete': { retriable: true, message: 'the day {day} is not complete in {source} yet: {detail}' },
  'export.day_expired': 'the log does not have the whole day {day}: records of partition {partition} from {time} on are deleted',
  'export.day_differs': 'the published day {day} differs, and stays as it is: {detail}. --replace publishes the new files',
  // query API
  'api.not_found': { http: 404, grpc: grpcCodes.unimplemented, message: 'there is no {path} here' },
  'api.flight_not_found': {
    retriable: true,
    http: 404,
    grpc: grpcCodes.notFound,
    message: 'no live flight has the call sign, registration or address {identifier}',
  },
  'api.no_history': { http: 503, message: 'this service keeps no history: {detail}' },
  'api.history_unavailable': { retriable: true, http: 503, retryAfterS: 5, message: 'the history is not available: {detail}' },
  'api.history_too_large': { http: 400, message: 'the request needs too much of the history: {detail}' },
  'api.no_recording': { retriable: true, http: 404, message: 'there is no recording of {what}: {detail}' },
  'api.unknown_aircraft': {
    retriable: true,
    http: 404,
    grpc: grpcCodes.notFound,
    message: 'no aircraft with the address {hex} was heard lately',
  },
  'api.unknown_airport': { http: 404, grpc: grpcCodes.notFound, close: 1008, message: 'no airport has the code {code}' },
  'api.unknown_operator': { http: 404, grpc: grpcCodes.notFound, message: 'no operator has the code {code}' },
  'api.unknown_type': { http: 404, grpc: grpcCodes.notFound, message: 'no aircraft type has the designator {code}' },
  'api.bad_value': {
    http: 400,
    grpc: grpcCodes.invalidArgument,
    close: 1008,
    message: '{param} cannot be {value}: {detail}',
  },
  'api.unknown_parameter': {
    http: 400,
    grpc: grpcCodes.invalidArgument,
    close: 1008,
    message: 'there is no query parameter {param}',
  },
  'api.missing_parameter': { http: 400, grpc: grpcCodes.invalidArgument, message: 'the parameter {param} is missing' },
  'api.method_not_allowed': { http: 405, grpc: grpcCodes.unimplemented, message: '{method} is not allowed here' },
  'api.bad_request': { http: 400, grpc: grpcCodes.invalidArgument, message: 'the request is malformed: {detail}' },
  'api.unsupported_media_type': {
    http: 415,
    grpc: grpcCodes.invalidArgument,
    message: 'the content type {type} is not supported here',
  },
  'api.body_too_large': {
    http: 413,
    grpc: grpcCodes.resourceExhausted,
    message: 'the body of the request is larger than {limit} bytes',
  },
  'api.url_too_long': { http: 414, message: 'the URL is longer than {limit} bytes' },
  'api.headers_too_large': {
    http: 431,
    grpc: grpcCodes.resourceExhausted,
    message: 'the headers are larger than {limit} bytes',
  },
  'api.request_timeout': { retriable: true, http: 408, grpc: grpcCodes.deadlineExceeded, message: 'the request did not arrive in time' },
  'api.not_ready': { retriable: true, http: 503, grpc: grpcCodes.unavailable, retryAfterS: 1, message: 'not ready: {detail}' },
  'api.no_snapshot': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.unavailable,
    close: 1013,
    retryAfterS: 5,
    message: 'no live data yet, or the data are older than {seconds} s',
  },
  'api.no_feed': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.unavailable,
    close: 1013,
    retryAfterS: 5,
    message: 'no live data: {detail}',
  },
  'api.moment_in_future': { http: 404, message: 'at is {at}, and the newest second of the data is {newest}' },
  'api.moment_too_old': {
    http: 404,
    message: 'the log does not have the frames of this moment, or no state of the fold before it: the first moment is {first}',
  },
  'api.moment_in_gap': { http: 404, message: 'nothing was received at {at}: the newest data before it are of {before}' },
  'api.moment_of_other_version': {
    http: 404,
    message: 'version {found} of the fold gave the aircraft of this moment, and this is version {own}: folded again they could differ',
  },
  'api.past_busy': {
    retriable: true,
    http: 503,
    retryAfterS: 5,
    message: 'all {limit} requests for moments of the past are in use: retry in {seconds} s',
  },
  'api.past_unavailable': {
    retriable: true,
    http: 503,
    retryAfterS: 5,
    message: 'moments of the past cannot be folded here now: {detail}',
  },
  'api.overloaded': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.unavailable,
    retryAfterS: 2,
    message: 'clients read their responses too slowly: retry in {seconds} s, or request less',
  },
  'api.too_many_downloads': {
    retriable: true,
    http: 503,
    retryAfterS: 60,
    message: 'all {limit} downloads at a time are in use: retry later',
  },
  'api.precondition_failed': {
    http: 412,
    message: 'the condition in {header} is not met: the entity tag here is {etag}',
  },
  'api.range_not_satisfiable': { http: 416, message: 'the file has {bytes} bytes: the range begins after its end' },
  'api.too_many_connections': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.unavailable,
    retryAfterS: 1,
    message: 'all {limit} connections are in use',
  },
  // access
  'access.bad_network': '{flag}: {network} is neither an address nor a network such as 192.0.2.0/24',
  'access.no_key': {
    http: 401,
    grpc: grpcCodes.unauthenticated,
    message:
      'a key is needed here, or the address of a feeder: send the header Authorization: Bearer KEY. Programs on the machine of the service need none',
  },
  'access.wrong_key': {
    http: 401,
    grpc: grpcCodes.unauthenticated,
    close: 4401,
    message: 'the key is not valid: copy it from the dashboard at /feeders, or send none',
  },
  'access.old_key': {
    http: 401,
    grpc: grpcCodes.unauthenticated,
    close: 4401,
    message: 'the key has expired, since the feeder has a newer one: copy it from the dashboard at /feeders',
  },
  'access.revoked_key': {
    http: 403,
    grpc: grpcCodes.permissionDenied,
    close: 4403,
    message: 'the key was revoked: copy the new one from the dashboard at /feeders',
  },
  'access.banned': {
    http: 403,
    grpc: grpcCodes.permissionDenied,
    close: 4403,
    message: 'this feeder and its address are banned here ({reason}): write to the operator of the service',
  },
  'access.many_wrong_keys': {
    retriable: true,
    http: 429,
    grpc: grpcCodes.resourceExhausted,
    message: 'too many wrong keys came from this address: wait {seconds} s, and copy the key from the dashboard at /feeders',
  },
  'access.rate': {
    retriable: true,
    http: 429,
    grpc: grpcCodes.resourceExhausted,
    message:
      'this caller has one request in {interval} s, and the next one in {seconds} s{hint}. The stream /ws/ sends every change, the files in /bulk/ have no limit, and feeders have more: /contribute',
  },
  'access.budget': {
    retriable: true,
    http: 429,
    grpc: grpcCodes.resourceExhausted,
    close: 4429,
    message:
      'this caller was sent the {bytes} bytes of its day{hint}: the next day begins in {seconds} s. The files in /bulk/ have no limit, and feeders have more: /contribute',
  },
  'access.too_many_sockets': {
    retriable: true,
    http: 429,
    grpc: grpcCodes.resourceExhausted,
    retryAfterS: 60,
    message: 'this caller may have {limit} streams or watches at a time, and all are open{hint}: close one first',
  },
  'access.no_session': {
    http: 401,
    message:
      'only the owner of a feeder may see this: open /feeders with the UUID or the key of the feeder, or send the header Authorization: Bearer KEY',
  },
  'access.wrong_proof': {
    http: 403,
    message:
      'no feeder here has this UUID or key. A UUID counts once its feeder was connected: readsb sends it with beast_reduce_plus_out, not with beast_out. Of keys, the newest counts',
  },
  'access.not_claimable': { http: 409, message: 'no feeder can be claimed from here without its UUID or key: {detail}' },
  'access.no_key_left': {
    http: 409,
    message: 'this feeder has had all {limit} keys that it can have: write to the operator of the service',
  },
  'access.wrong_origin': { http: 403, message: 'pages of {origin} may not call this' },
  // tool server
  'tools.service_away': {
    retriable: true,
    retryAfterS: 5,
    message: 'no response from the service at {url}: {detail}. Start it with `squitter start`, or name another one with --url',
  },
  'tools.service_refuses': 'the service at {url} does not take the call: {detail}',
  'api.too_many_calls': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.unavailable,
    retryAfterS: 1,
    message: 'all {limit} calls at a time are in use',
  },
  'api.too_many_streams': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.resourceExhausted,
    retryAfterS: 60,
    message: 'all {limit} streams of aircraft are in use',
  },
  'api.too_many_watched': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.resourceExhausted,
    retryAfterS: 60,
    message: 'the streams watch all {limit} aircraft that they can: choose a smaller box, or retry later',
  },
  'push.unavailable': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.unavailable,
    retryAfterS: 1,
    message: 'the streams are not available: {detail}',
  },
  'push.bad_message': { http: 400, close: 1008, message: 'the message is not valid: {detail}' },
  'push.too_many_filters': {
    retriable: true,
    http: 503,
    grpc: grpcCodes.resourceExhausted,
    close: 1013,
    retryAfterS: 60,
    message: 'all {limit} filters are in use',
  },
  'push.too_many_encoded': {
    retriable: true,
    http: 503,
    close: 1013,
    retryAfterS: 60,
    message: 'binary streams have all {limit} aircraft that they can have; another profile is possible',
  },
  // history
  'history.no_engine':
    'the engine of the history store is not installed or does not run here: {detail}. `npm ci` installs it; --no-history starts without it',
  'history.no_descriptors':
    'the history store needs {needed} open files, and the limit is {limit} (ulimit -n): raise it; --no-history starts without history',
  'history.in_use':
    'the history store in {path} is in use by another process: stop that process first, or choose another folder with --data ({detail})',
  'history.not_started':
    'the history store in {path} does not start: {detail}. --no-history starts the service without it. If its files are damaged: stop the service and remove {path}/engine; it is filled again from the log',
  'history.address_unreadable': 'the address of the history store in {path} cannot be read: {detail}',
  'history.early_tables':
    'the history tables in database {database} are from before 0.1.0: drop the database or choose another one. It is filled again from the log',
  'history.newer_tables':
    'the history tables in database {database} have version {found}, but this program knows versions up to {known}: use a later version of it',
  'history.other_engines':
    'the history tables in database {database} are {found}, not {wanted}: this cannot change later. Choose the same, or another database',
  'history.offset_moved': {
    retriable: true,
    message: 'the history of {topic}/{partition} continues at offset {to} instead of {from}: the rows in the store end there',
  },
  'history.unreachable': { retriable: true, message: 'the history store does not answer: {detail}' },
  'history.busy': { retriable: true, message: 'the history store has too much to do: {detail}' },
  'history.no_space': { retriable: true, message: 'the disk of the history store is full: {detail}' },
  'history.query_too_long': 'the query took too long in the history store: {detail}. Ask for a shorter time or a smaller area',
  'history.query_too_large': 'the query reads too much of the history store: {detail}. Ask for a shorter time or a smaller area',
  'history.cancelled': { retriable: true, message: 'the query of the history store was cancelled: {detail}' },
  'history.forbidden': 'the history store refuses the user: {detail}',
  'history.query_failed': 'the history store refuses a statement (code {code}): {detail}',
  'api.internal': { retriable: true, http: 500, close: 1013, message: 'the service failed; search its log for the request id' },
} as const satisfies Record<string, string | (Partial<ErrorKind> & { readonly message: string })>;

export type ErrorCode = keyof typeof table;

type Message<Row> = Row extends { readonly message: infer Text } ? Text : Row;
type Named<Text> = Text extends `${string}{${infer Name}}${infer Later}` ? Name | Named<Later> : never;
type Values<Name extends string> = Record<Name, string | number> & Record<string, string | number>;
/** The details that the message of an error names, and any others. */
type Details<Code> = Code extends ErrorCode ? Values<Named<Message<(typeof table)[Code]>>> : never;
/** Details, which an error without names may leave out, and what else there is to say. */
export type ErrorWords<Code, More> = Record<string, never> extends Details<Code> ? [Details<Code>?, More?] : [Details<Code>, More?];

/** The row of each error. */
export const errorKinds = Object.fromEntries(
  Object.entries(table).map(([code, row]) => [code, { retriable: false, ...(typeof row === 'string' ? { message: row } : row) }]),
) as Readonly<Record<ErrorCode, ErrorKind>>;

/** The code that clients see: `api.no_snapshot` is `no-snapshot`. */
export function stableCode(code: ErrorCode): string {
  return code.slice(code.indexOf('.') + 1).replaceAll('_', '-');
}

/** The error for every cause that a user or operator can act on. */
export class SquitterError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, string | number>>;

  constructor(code: Code, ...words: ErrorWords<Code, unknown>) {
    const [details = {}, cause] = words as [Values<string>?, unknown?];
    const message = errorKinds[code].message.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? '?'));
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SquitterError';
    this.code = code;
    this.details = details;
  }

  get retriable(): boolean {
    return errorKinds[this.code].retriable;
  }
}
