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

/** Whether brokers, or we, do not accept who is at the other end. */
export function isRefused(error: unknown): boolean {
  return chain(error).some(({ name, code }) => name === 'KafkaJSSASLAuthenticationError' || CERTIFICATE_CODE.test(String(code)));
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
  return new SquitterError('connect.failed', { address: `Kafka (${brokers.join(', ')})`, detail: (error as Error).message }, error);
}
