// The log line of an error contains each message once.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { errorFields } from './error-fields.ts';

function lineOf(error: unknown): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  pino({ serializers: { err: errorFields } }, stream).error(error, 'failed');
  return text;
}

it('contains each cause once, whether or not the message contains it', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:9092');
  const retries = Object.assign(new Error(refused.message, { cause: refused }), { name: 'KafkaJSNumberOfRetriesExceeded' });
  const error = new SquitterError('connect.failed', { address: 'Kafka (127.0.0.1:9092)', detail: retries.message }, retries);
  const line = lineOf(error);
  expect(line.match(/ECONNREFUSED/g)).toHaveLength(1);
  expect(JSON.parse(line)).toMatchObject({
    msg: 'failed',
    err: { code: 'connect.failed', message: expect.stringContaining('ECONNREFUSED') },
  });
  const wrapped = new Error('the view broke', { cause: new Error('a record is cut', { cause: retries }) });
  expect(JSON.parse(lineOf(wrapped)).err.causes).toEqual(['a record is cut', 'connect ECONNREFUSED 127.0.0.1:9092']);
  expect(lineOf(wrapped).match(/the view broke/g)).toHaveLength(1);
  expect(JSON.parse(lineOf(wrapped)).err.stack).toMatch(/^\s+at .*error-fields\.test/);
});

it('takes any thrown value', () => {
  const round: Error & { cause?: unknown } = new Error('round');
  round.cause = round;
  expect(errorFields(round)).toMatchObject({ message: 'round' });
  expect(errorFields('text')).toEqual({ type: 'string', message: 'text' });
});
