// Classifies errors of kafkajs: transient (a broker is unavailable), fenced (the worker was replaced), or permanent.
import { SquitterError } from '../../../schemas/errors.ts';

interface KafkaJsError {
  readonly name?: string;
  /** Name of Kafka's error code. */
  readonly type?: string;
  readonly code?: unknown;
  readonly retriable?: boolean;
  readonly cause?: unknown;
}

/** The chain of causes: kafkajs wraps errors after its retries. */
function chain(error: unknown): KafkaJsError[] {
  const errors: KafkaJsError[] = [];
  for (let at = error; typeof at === 'object' && at !== null && !errors.includes(at); at = (at as KafkaJsError).cause) errors.push(at);
  return errors;
}

/** Name of Kafka's error code, for example `REBALANCE_IN_PROGRESS`; undefined for errors that no broker sent. */
export function kafkaCode(error: unknown): string | undefined {
  return chain(error).find(({ type }) => typeof type === 'string')?.type;
}

const PASSING_NAMES = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSNoBrokerAvailableError',
]);

/** Error codes of Node's TLS for bad certificates, which a retry does not fix. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS|ERR_SSL/;

/** Kafka's codes for a refused login. */
const LOGIN_CODES = new Set(['ILLEGAL_SASL_STATE', 'UNSUPPORTED_SASL_MECHANISM', 'SASL_AUTHENTICATION_FAILED']);

/** True if one side refused the other's login or certificate. */
export function isRefused(error: unknown): boolean {
  return chain(error).some(
    ({ name, type, code }) =>
      name === 'KafkaJSSASLAuthenticationError' || LOGIN_CODES.has(type ?? '') || CERTIFICATE_CODE.test(String(code)),
  );
}

/** Hints for mismatches of TLS or login settings. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/current SASL state/, 'this listener does not support a login: remove SQUITTER_KAFKA_SASL, or use the port of a listener with SASL'],
  [/SASL mechanism/, 'this listener requires another mechanism: see SQUITTER_KAFKA_SASL'],
  [/before secure TLS connection|wrong version number|packet length too long/, 'this listener may not use TLS: see SQUITTER_KAFKA_TLS'],
  [/Closed connection$/, 'this listener may require TLS or a login: see SQUITTER_KAFKA_TLS and SQUITTER_KAFKA_SASL'],
];

/** The message of an error, with a hint if there is one. */
export function withHint(error: unknown): string {
  const { message } = error as Error;
  const hint = HINTS.find(([pattern]) => pattern.test(message))?.[1];
  return hint === undefined ? message : `${message} (${hint})`;
}

/** True if the same request may succeed later, when brokers are available or have elected a leader. */
export function isPassing(error: unknown): boolean {
  if (isRefused(error)) return false;
  return chain(error).some(({ name, type, retriable }) => PASSING_NAMES.has(name ?? '') || (type !== undefined && retriable === true));
}

const FENCED_CODES = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'TRANSACTION_COORDINATOR_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_TXN_STATE',
  'UNKNOWN_MEMBER_ID',
]);

/** True if a newer producer with the same transactional id replaced this one, its group removed it, or Kafka ended its transaction. */
export function isFenced(error: unknown): boolean {
  return FENCED_CODES.has(kafkaCode(error) ?? '');
}

/** Turns connection and login failures into `connect.failed`; returns other errors unchanged. */
export function unreachable(brokers: readonly string[], error: unknown): unknown {
  if (!isPassing(error) && !isRefused(error)) return error;
  return new SquitterError('connect.failed', { address: `Kafka (${brokers.join(', ')})`, detail: withHint(error) }, error);
}
