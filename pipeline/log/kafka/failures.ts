// What an error of kafkajs means: a broker that is away for a while, a worker that was replaced, or something that stays wrong.
import { SquitterError } from '../../../schemas/errors.ts';

interface KafkaJsError {
  readonly name?: string;
  /** Name of Kafka's error code. */
  readonly type?: string;
  readonly code?: unknown;
  readonly retriable?: boolean;
  readonly cause?: unknown;
}

/** kafkajs wraps what it gave up retrying: the first cause tells. */
function chain(error: unknown): KafkaJsError[] {
  const errors: KafkaJsError[] = [];
  for (let at = error; typeof at === 'object' && at !== null && !errors.includes(at); at = (at as KafkaJsError).cause) errors.push(at);
  return errors;
}

/** Kafka's error code by name, as `REBALANCE_IN_PROGRESS`; undefined for errors that no broker sent. */
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

/** Codes of Node's TLS: a certificate does not become right by waiting. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS|ERR_SSL/;

/** What brokers answer to a login that they do not want, or not like this. */
const LOGIN_CODES = new Set(['ILLEGAL_SASL_STATE', 'UNSUPPORTED_SASL_MECHANISM', 'SASL_AUTHENTICATION_FAILED']);

/** Whether brokers, or we, do not accept who is at the other end. */
export function isRefused(error: unknown): boolean {
  return chain(error).some(
    ({ name, type, code }) =>
      name === 'KafkaJSSASLAuthenticationError' || LOGIN_CODES.has(type ?? '') || CERTIFICATE_CODE.test(String(code)),
  );
}

/** What to look at where one side wants TLS or a login and the other does not. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/current SASL state/, 'this listener takes no login: leave out SQUITTER_KAFKA_SASL, or give the port of the listener that wants one'],
  [/SASL mechanism/, 'this listener wants another mechanism: see SQUITTER_KAFKA_SASL'],
  [/before secure TLS connection|wrong version number|packet length too long/, 'this listener may not speak TLS: see SQUITTER_KAFKA_TLS'],
  [/Closed connection$/, 'this listener may want TLS or a login: see SQUITTER_KAFKA_TLS and SQUITTER_KAFKA_SASL'],
];

/** The message of an error, with what to look at where that can be told. */
export function withHint(error: unknown): string {
  const { message } = error as Error;
  const hint = HINTS.find(([pattern]) => pattern.test(message))?.[1];
  return hint === undefined ? message : `${message} (${hint})`;
}

/** Whether the same request may succeed when brokers are back, or have agreed who leads. */
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

/** Whether another producer with the same transactional id took this one's place, its group went on without it, or Kafka ended its transaction. */
export function isFenced(error: unknown): boolean {
  return FENCED_CODES.has(kafkaCode(error) ?? '');
}

/** The error for people, where brokers are away or refuse us; any other as it is. */
export function unreachable(brokers: readonly string[], error: unknown): unknown {
  if (!isPassing(error) && !isRefused(error)) return error;
  return new SquitterError('connect.failed', { address: `Kafka (${brokers.join(', ')})`, detail: withHint(error) }, error);
}
