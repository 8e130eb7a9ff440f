// kafkajs is replaced by replacing one file: nothing else in the repository touches its private parts, and few files use its public ones.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ADAPTER = 'pipeline/log/kafka/kafkajs-transport.ts';
/** Shipped files that use what kafkajs exports and documents: its client, its admin, its table of codecs. */
const PUBLIC_USERS = [ADAPTER, 'pipeline/log/kafka/compression.ts', 'pipeline/log/kafka/connection.ts', 'pipeline/log/kafka/topics.ts'];
/** Parts of its objects that it does not document, and casts of them to types that have more. */
const PRIVATE =
  /\b(connectionPool|brokerPool|seedBroker|lookupRequest|findGroupCoordinator|partitionAssigners)\b|\b(extends|as) (Broker|Cluster)\b/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.js', '*.mjs'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(file) && file !== 'pipeline/log/kafka/kafkajs-transport.test.ts');
const having = (pattern: RegExp): string[] => files.filter((file) => pattern.test(readFileSync(file, 'utf8')));

test('only the adapter imports inner files of kafkajs or reaches its private members; few shipped files use it at all', () => {
  expect(having(/['"`]kafkajs\//)).toEqual([ADAPTER]);
  expect(having(PRIVATE)).toEqual([ADAPTER]);
  expect(having(/from 'kafkajs'/).filter((file) => !/^(test|examples)\/|\.test\.ts$/.test(file))).toEqual(PUBLIC_USERS.toSorted());
});
