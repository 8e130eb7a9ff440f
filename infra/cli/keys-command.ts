// `squitter keys revoke`: no key of a feeder so far is valid any more.
import { defineCommand, EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { REQUEST_DETAILS, reportsFor, requestOptions, writeReports } from './feeder-requests.ts';

export const keysCommand = defineCommand({
  name: 'keys',
  summary: 'revoke the keys of a feeder',
  words: 'revoke ID',
  wordsMin: 2,
  wordsMax: 2,
  details: [
    REQUEST_DETAILS,
    'All keys of the feeder so far are refused, and sockets that were opened with one close, within seconds everywhere. The feeder keeps its tier and its claim;',
    'its dashboard shows the new key.',
  ].join('\n'),
  examples: [
    'squitter keys revoke 4f1d2c3b5a697887',
    'squitter keys revoke 198.51.100.7 --data /var/lib/squitter',
    'squitter keys revoke 4f1d2c3b5a697887 --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7 --secret-file /run/secrets/squitter',
  ],
  options: requestOptions,
  async run({ options, words, env, stdout }) {
    const [what, feeder] = words;
    if (what !== 'revoke') throw new SquitterError('usage.unknown_word', { word: what!, command: 'keys' });
    const reports = await reportsFor({ act: 'revoke', feeder: feeder!, reason: '' }, options, env);
    writeReports(stdout, reports, options, ([report]) => {
      const { id, key } = report!;
      return `the keys of ${id} so far are revoked; its key is now of generation ${key!.generation}\n`;
    });
    return EXIT_DONE;
  },
});
