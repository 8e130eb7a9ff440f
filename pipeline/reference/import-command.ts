// `squitter reference import`: imports public sets of reference data into the data folder, also while a service uses it.

import { SquitterError } from '../../schemas/errors.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { textOption } from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';
import { importReference } from './import/import.ts';
import { count } from './import/report.ts';
import { referenceFolder } from './open-reference.ts';

export const referenceCommand = defineCommand({
  name: 'reference',
  summary: 'import airports, routes, aircraft, operators and types from public sets',
  words: 'import FILE [FILE …]',
  wordsMin: 2,
  wordsMax: Number.POSITIVE_INFINITY,
  details: [
    'The content of a FILE determines its format. A FILE is a CSV, plain, .gz or .xz, a .tar.xz or .tar.gz, or a folder of them.',
    '  VRS standing data           airports, routes, airlines, model types, aircraft, code blocks',
    '  OurAirports airports.csv    airports with local codes and kinds',
    '  icao24,r,t,desc             registration and type by address, from dump1090-fa',
    "  aircraft.csv(.gz)           readsb's: registration, type, flags, description, year, owner by address",
    'An import is merged with the existing data; later files win. If it fails, nothing changes. If it succeeds, all of it takes effect at once:',
    'a running service loads it within seconds. The report lists the rows taken, and the rows refused with reasons.',
  ].join('\n'),
  examples: [
    'squitter reference import standing-data.tar.xz',
    'squitter reference import airports.csv aircraft.csv.gz --data /var/lib/squitter',
    'squitter reference import standing-data/ flightaware.csv.xz',
  ],
  options: {
    data: { ...textOption('data', 'DIR', 'data folder; the tables go to its folder `reference`'), fallback: './data' },
  },
  async run({ options, words, stdout, stderr, signal }) {
    const [what, ...paths] = words;
    if (what !== 'import') throw new SquitterError('usage.unknown_word', { word: what!, command: 'reference' });
    const folder = referenceFolder(options.data);
    const startMs = performance.now();
    const progress = createProgress(stderr, 'rows', () => performance.now());
    try {
      const { reports, tables } = await importReference({
        folder,
        paths,
        clock: () => Date.now(),
        signal,
        onProgress: (bytesRead, bytesTotal, rows) => progress.update(bytesRead, bytesTotal, rows),
      });
      progress.end();
      for (const report of reports) stdout.write(`${report.lines().join('\n')}\n`);
      const written = Object.entries(tables).map(([kind, { rows }]) => `${count(rows)} ${kind}`);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
      stdout.write(`${folder} has ${written.join(', ')}, after ${seconds} s\n`);
      return EXIT_DONE;
    } catch (error) {
      progress.end();
      if (!signal.aborted) throw error;
      stderr.write('reference: stopped, nothing has changed\n');
      return EXIT_FAILED;
    }
  },
});
