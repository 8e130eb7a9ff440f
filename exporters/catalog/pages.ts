// The pages of the downloads: the list of days, and what each column is. HTML without a frame; texts come from manifests and the table of columns.
import { type DailyManifest, dailyColumns, dailyKinds, manifestName, parquetName, previewName } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** In sentences of the field table, code is between backquotes. */
const sentence = (text: string): string => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');

/** A page without its frame, which the service has. In its HTML, `{root}` is the root of the service. */
export interface FilesPage {
  readonly title: string;
  readonly body: string;
}
const page = (title: string, lines: readonly string[]): FilesPage => ({ title, body: lines.join('\n') });

export function indexPage(days: readonly DailyManifest[]): FilesPage {
  const [newest] = days;
  return page('Daily files', [
    '<p class="lead">Every position of a UTC day as one Parquet file, and the flights that ended on it. Free, without an account or a key.</p>',
    '<p class="links"><a href="{root}bulk/schema">Columns and units</a> <a href="{root}bulk/index.json">index.json</a> <a href="{root}bulk/SHA256SUMS">Checksums</a></p>',
    ...(newest === undefined
      ? ['<p class="notice">No day is published yet: a day appears some hours after its end.</p>']
      : [
          '<section class="card">',
          `<h2>${newest.day}</h2>`,
          `<p><img src="{root}bulk/${previewName(newest.day)}" alt="Positions and aircraft per hour of ${newest.day}" width="960" height="680"></p>`,
          `<p>Licence: ${escaped(newest.licence)}${newest.attribution === '' ? '' : `; please name ${escaped(newest.attribution)} as the source`}.</p>`,
          '<p>The newest day has fixed names, too:</p>',
          `<pre>curl -O -C - ORIGIN/bulk/${parquetName('positions', 'latest')}</pre>`,
          '</section>',
          '<section class="card">',
          '<h2>All days</h2>',
          ...table(['Day', 'Positions', 'Flights', ''], days.slice(0, limits.bulkDaysShownMax).map(dayRow)),
          ...(days.length > limits.bulkDaysShownMax
            ? [`<p>${days.length - limits.bulkDaysShownMax} older days are in index.json.</p>`]
            : []),
          '</section>',
        ]),
  ]);
}

const table = (names: readonly string[], rows: readonly string[]): string[] => [
  '<div class="table stacked"><table>',
  `<thead><tr>${names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`)).join('')}</tr></thead>`,
  '<tbody>',
  ...rows,
  '</tbody>',
  '</table></div>',
];

function dayRow({ day, files }: DailyManifest): string {
  const cells = dailyKinds.map((kind) => {
    const { name, rows, bytes } = files.find((file) => file.kind === kind)!;
    return `<td><a href="{root}bulk/${name}">${rows.toLocaleString('en')} ${kind}</a>, ${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB</td>`;
  });
  return `<tr><td>${day}</td>${cells.join('')}<td class="links"><a href="{root}bulk/${manifestName(day)}">Manifest</a> <a href="{root}bulk/${previewName(day)}">Picture</a></td></tr>`;
}

export function schemaPage(): FilesPage {
  return page('Columns of the daily files', [
    '<p class="lead">Names and units are those of the Python library <code>traffic</code>. Rows are sorted by <code>icao24</code> and time. A value that the aircraft had not sent, or not lately, is null.</p>',
    '<p><a href="{root}bulk/">All days</a></p>',
    ...dailyKinds.flatMap((kind) => [
      '<section class="card">',
      `<h2>${parquetName(kind, 'DAY')}</h2>`,
      ...table(
        ['Column', 'Type', 'Unit', 'Meaning'],
        dailyColumns[kind].map(
          ({ name, type, unit, about }) =>
            `<tr><td><code>${name}</code></td><td>${type}</td><td>${escaped(unit ?? '')}</td><td class="meaning">${sentence(about)}</td></tr>`,
        ),
      ),
      '</section>',
    ]),
  ]);
}
