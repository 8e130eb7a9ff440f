// The pages of the downloads: the list of days, and what each column is. Plain HTML; texts come from manifests and the table of columns.
import { type DailyManifest, dailyColumns, dailyKinds, manifestName, parquetName, previewName } from '../../schemas/daily-file.ts';

/** Days on the page; index.json has all. */
const DAYS_SHOWN_MAX = 90;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** In sentences of the field table, code is between backquotes. */
const sentence = (text: string): string => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');

function page(title: string, body: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Squitter: ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/look.css">
</head>
<body>
<header><h1>${title}</h1></header>
<main class="prose">
${body.join('\n')}
</main>
</body>
</html>
`;
}

export function indexPage(days: readonly DailyManifest[]): string {
  const [newest] = days;
  return page('Daily files', [
    '<p>Every position of a UTC day as one Parquet file, and the flights that ended on it. Free, without an account or a key.',
    '<a href="/bulk/schema">Columns and units</a> · <a href="/bulk/index.json">index.json</a> · <a href="/bulk/SHA256SUMS">checksums</a> · <a href="/">live aircraft</a></p>',
    ...(newest === undefined
      ? ['<p>No day is published yet: a day appears some hours after its end.</p>']
      : [
          `<p>Licence: ${escaped(newest.licence)}${newest.attribution === '' ? '' : `; please name ${escaped(newest.attribution)} as the source`}.</p>`,
          `<p><img src="/bulk/${previewName(newest.day)}" alt="Positions and aircraft per hour of ${newest.day}" width="960" style="max-width:100%"></p>`,
          '<p>The newest day has fixed names, too:</p>',
          `<pre>curl -O -C - ORIGIN/bulk/${parquetName('positions', 'latest')}</pre>`,
          '<table>',
          '<tr><th>Day</th><th>Positions</th><th>Flights</th><th></th></tr>',
          ...days.slice(0, DAYS_SHOWN_MAX).map(dayRow),
          '</table>',
          ...(days.length > DAYS_SHOWN_MAX ? [`<p>${days.length - DAYS_SHOWN_MAX} older days are in index.json.</p>`] : []),
        ]),
  ]);
}

function dayRow({ day, files }: DailyManifest): string {
  const cells = dailyKinds.map((kind) => {
    const { name, rows, bytes } = files.find((file) => file.kind === kind)!;
    return `<td><a href="/bulk/${name}">${rows.toLocaleString('en')} rows</a>, ${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB</td>`;
  });
  return `<tr><td>${day}</td>${cells.join('')}<td><a href="/bulk/${manifestName(day)}">manifest</a> <a href="/bulk/${previewName(day)}">picture</a></td></tr>`;
}

export function schemaPage(): string {
  return page('Columns of the daily files', [
    '<p>Names and units are those of the Python library <code>traffic</code>. Rows are sorted by <code>icao24</code> and time. A value that the aircraft had not sent, or not lately, is null.</p>',
    ...dailyKinds.flatMap((kind) => [
      `<h2>${parquetName(kind, 'DAY')}</h2>`,
      '<table>',
      '<tr><th>Column</th><th>Type</th><th>Unit</th><th>Meaning</th></tr>',
      ...dailyColumns[kind].map(
        ({ name, type, unit, about }) =>
          `<tr><td><code>${name}</code></td><td>${type}</td><td>${escaped(unit ?? '')}</td><td>${sentence(about)}</td></tr>`,
      ),
      '</table>',
    ]),
    '<p><a href="/bulk/">All days</a></p>',
  ]);
}
