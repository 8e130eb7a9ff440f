// The picture of a day: where positions are, and how many aircraft there were in each hour. An SVG of plain shapes, the same bytes for the same rows.
import { type Duck, sqlText } from './duck.ts';
import { type Box, landIn } from './land.ts';

const WIDTH = 960;
const MAP_HEIGHT = 480;
const CHART_HEIGHT = 120;
const MARGIN = 40;
/** Between the map and the chart, for its title. */
const CHART_ROOM = 14;
/** Cells of the map across its width. */
const COLUMNS = 160;
/** Darker is more: each class has four times the positions of the one before. */
const COLOURS = ['#12305c', '#1c5a8f', '#2a8fb0', '#5cc3a5', '#b4e28a', '#fdf6a8'] as const;
const CLASS_FACTOR = 4;
/** Colours of the pages' dark look. A picture in a page has one set of colours. */
const PALETTE = {
  sea: '#0b1117',
  land: '#1b2733',
  coast: '#dde7f0',
  grid: '#1a242e',
  quiet: '#9fadbb',
  ink: '#e7edf3',
  bars: '#45d0bf',
} as const;
/** Points of a coast that are nearer to the one before are left out, px. */
const COAST_STEP = 0.7;
/** The coast extends beyond the edges of the map, so that these show no line, degrees per degree of the map. */
const COAST_MARGIN = 0.01;

interface Cell {
  readonly column: number;
  readonly row: number;
  readonly positions: number;
}

/** Draws the day from its file of positions. */
export async function previewOf(duck: Duck, parquet: string, day: string): Promise<string> {
  const from = `read_parquet(${sqlText(parquet)})`;
  const [edges] = await duck.rows(
    `SELECT min(longitude) AS west, max(longitude) AS east, min(latitude) AS south, max(latitude) AS north, count(*) AS rows, count(DISTINCT icao24) AS aircraft FROM ${from}`,
  );
  const rows = Number(edges!['rows']);
  const area = areaOf(edges as Record<string, number | null>);
  const cells = (await duck.rows(
    `SELECT floor((longitude - ${area.west}) / ${area.cell})::INTEGER AS "column", floor((${area.north} - latitude) / ${area.cell})::INTEGER AS "row", count(*)::DOUBLE AS positions FROM ${from} GROUP BY ALL ORDER BY ALL`,
  )) as unknown as Cell[];
  const hours = await duck.rows(
    `SELECT hour(timestamp) AS hour, count(DISTINCT icao24)::DOUBLE AS aircraft FROM ${from} GROUP BY 1 ORDER BY 1`,
  );
  const perHour = Array.from({ length: 24 }, (_, hour) => Number(hours.find((row) => Number(row['hour']) === hour)?.['aircraft'] ?? 0));
  const title = `${day}: ${rows.toLocaleString('en')} positions of ${Number(edges!['aircraft']).toLocaleString('en')} aircraft`;
  return svg(title, area, cells, perHour);
}

interface Area extends Box {
  /** Degrees across a cell. */
  readonly cell: number;
  readonly rows: number;
}

/** A box of 2:1 around all positions, within the world. */
function areaOf({ west, east, south, north }: Record<string, number | null>): Area {
  if (west == null || east == null || south == null || north == null) return areaOf({ west: -180, east: 180, south: -90, north: 90 });
  const width = Math.min(360, Math.max((east - west) * 1.05, (north - south) * 2.1, 1));
  const left = Math.max(-180, Math.min(180 - width, (west + east) / 2 - width / 2));
  const top = Math.min(90, Math.max(-90 + width / 2, (south + north) / 2 + width / 4));
  return { west: left, east: left + width, north: top, south: top - width / 2, cell: width / COLUMNS, rows: COLUMNS / 2 };
}

function svg(title: string, area: Area, cells: readonly Cell[], perHour: readonly number[]): string {
  const height = MAP_HEIGHT + CHART_HEIGHT + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="${PALETTE.ink}" role="img">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="${PALETTE.sea}"/>`,
    `<text x="12" y="20" font-size="15">${title}</text>`,
    // The inner picture ends at its edges.
    `<svg y="${MARGIN - 10}" width="${WIDTH}" height="${MAP_HEIGHT}">`,
    `<defs><path id="land" d="${landPath(area)}"/></defs>`,
    `<use href="#land" fill="${PALETTE.land}" fill-rule="evenodd"/>`,
    ...gridLines(area),
    ...densityPaths(area, cells),
    `<use href="#land" fill="none" stroke="${PALETTE.coast}" stroke-opacity="0.5" stroke-width="0.8"/>`,
    '</svg>',
    ...bars(perHour, MAP_HEIGHT + MARGIN + CHART_ROOM),
    '</svg>',
    '',
  ].join('\n');
}

/** Pixels of a position on the map. */
const scales = ({ west, east, north, south }: Area) => ({
  x: (degrees: number): number => ((degrees - west) / (east - west)) * WIDTH,
  y: (degrees: number): number => ((north - degrees) / (north - south)) * MAP_HEIGHT,
});

/** Outlines of land. */
function landPath(area: Area): string {
  const { x, y } = scales(area);
  const margin = COAST_MARGIN * (area.east - area.west);
  const box = { west: area.west - margin, east: area.east + margin, south: area.south - margin, north: area.north + margin };
  const outlines = landIn(box).map((ring) => {
    let [lastX, lastY] = [Number.NaN, Number.NaN];
    const corners: string[] = [];
    for (const [longitude, latitude] of ring) {
      const [atX, atY] = [x(longitude), y(latitude)];
      if (Math.hypot(atX - lastX, atY - lastY) < COAST_STEP) continue;
      [lastX, lastY] = [atX, atY];
      corners.push(`${atX.toFixed(1)} ${atY.toFixed(1)}`);
    }
    return corners.length > 2 ? `M${corners.join('L')}z` : '';
  });
  return outlines.join('');
}

/** Meridians and parallels, labelled. */
function gridLines(area: Area): string[] {
  const { west, east, north, south } = area;
  const { x: exactX, y: exactY } = scales(area);
  const span = east - west;
  const step = [60, 30, 20, 10, 5, 2, 1, 0.5, 0.2].find((degrees) => span / degrees >= 5) ?? 0.1;
  const multiples = (from: number, to: number): number[] => {
    const first = Math.ceil(from / step);
    return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, i) => (first + i) * step);
  };
  const x = (degrees: number): string => exactX(degrees).toFixed(1);
  const y = (degrees: number): string => exactY(degrees).toFixed(1);
  const label = (degrees: number, suffix: readonly [string, string]): string =>
    `${Number(Math.abs(degrees).toFixed(1))}°${degrees === 0 ? '' : degrees > 0 ? suffix[0] : suffix[1]}`;
  return [
    `<g stroke="${PALETTE.grid}" fill="none">`,
    ...multiples(west, east).map((degrees) => `<path d="M${x(degrees)} 0V${MAP_HEIGHT}"/>`),
    ...multiples(south, north).map((degrees) => `<path d="M0 ${y(degrees)}H${WIDTH}"/>`),
    '</g>',
    `<g fill="${PALETTE.quiet}" font-size="11">`,
    ...multiples(west, east).map((degrees) => `<text x="${x(degrees)}" y="${MAP_HEIGHT - 4}" dx="3">${label(degrees, ['E', 'W'])}</text>`),
    ...multiples(south, north).map((degrees) => `<text x="4" y="${y(degrees)}" dy="-3">${label(degrees, ['N', 'S'])}</text>`),
    '</g>',
  ];
}

/** One path per class of density: cells side by side are one rectangle. */
function densityPaths({ rows }: Area, cells: readonly Cell[]): string[] {
  const size = WIDTH / COLUMNS;
  const most = cells.reduce((max, { positions }) => Math.max(max, positions), 1);
  const classOf = (positions: number): number => {
    let at = COLOURS.length - 1;
    for (let limit = most / CLASS_FACTOR; positions < limit && at > 0; limit /= CLASS_FACTOR) at -= 1;
    return at;
  };
  const paths = COLOURS.map((): string[] => []);
  const grid = new Map(
    cells.map(({ column, row, positions }) => [Math.min(row, rows - 1) * COLUMNS + Math.min(column, COLUMNS - 1), classOf(positions)]),
  );
  for (const [at, density] of grid) {
    const column = at % COLUMNS;
    if (column > 0 && grid.get(at - 1) === density) continue;
    let width = 1;
    while (column + width < COLUMNS && grid.get(at + width) === density) width += 1;
    paths[density]!.push(`M${column * size} ${Math.floor(at / COLUMNS) * size}h${width * size}v${size}h-${width * size}z`);
  }
  return paths.flatMap((parts, i) => (parts.length === 0 ? [] : [`<path fill="${COLOURS[i]}" d="${parts.join('')}"/>`]));
}

function bars(perHour: readonly number[], top: number): string[] {
  const most = Math.max(1, ...perHour);
  const slot = WIDTH / perHour.length;
  const shapes = perHour.map((aircraft, hour) => {
    const height = (aircraft / most) * CHART_HEIGHT;
    return `<rect x="${(hour * slot + 2).toFixed(1)}" y="${(top + CHART_HEIGHT - height).toFixed(1)}" width="${(slot - 4).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  const labels = [0, 6, 12, 18].map(
    (hour) => `<text x="${hour * slot + 2}" y="${top + CHART_HEIGHT + 16}">${String(hour).padStart(2, '0')}:00 UTC</text>`,
  );
  return [
    `<g fill="${PALETTE.bars}">`,
    ...shapes,
    '</g>',
    `<text x="12" y="${top - 6}">Aircraft per hour, at most ${most.toLocaleString('en')}</text>`,
    ...labels,
  ];
}
