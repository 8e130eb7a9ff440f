// METRICS.md from the table of metrics, and the dashboard from panels.yaml. `RENEW_DOCUMENTS=1 npx vitest run infra/grafana` writes both.
import { describedMetrics } from '../../pipeline/runtime/metrics.ts';

export interface PanelRow {
  readonly row: string;
  readonly panels: readonly {
    readonly title: string;
    readonly description: string;
    readonly unit?: string;
    readonly style?: 'stacked' | 'lines' | 'stat';
    readonly wide?: boolean;
    readonly show: readonly (readonly [legend: string, expression: string])[];
  }[];
}

const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '$' + '{datasource}' };

/** The document with its table of metrics; the text before the table stays. */
export function metricsDocument(document: string): string {
  const [head = ''] = document.split('\n| metric |');
  const rows = [...describedMetrics].map(
    ([name, { type, labels, services, help }]) =>
      `| \`${name}\` | ${type} |${labels.length === 0 ? '' : ` ${labels.join(', ')}`} | ${services} | ${help} |`,
  );
  return `${head}\n| metric | type | labels | service | what |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

/** A dashboard of Grafana, a panel a line. */
export function dashboardDocument(rows: readonly PanelRow[]): string {
  let [id, x, y] = [0, 0, 0];
  const panels: object[] = [];
  for (const { row, panels: ofRow } of rows) {
    id += 1;
    panels.push({ id, type: 'row', title: row, collapsed: false, gridPos: { h: 1, w: COLUMNS, x: 0, y }, panels: [] });
    y += 1;
    for (const panel of ofRow) {
      const [w, h] = panel.wide === true ? [12, 8] : [8, 7];
      id += 1;
      panels.push(panelOf(panel, id, { h, w, x, y }));
      x = (x + w) % COLUMNS;
      if (x === 0) y += h;
    }
    if (x > 0) y += 7;
    x = 0;
  }
  const head = {
    ...{ uid: 'squitter', title: 'Squitter', description: 'From feeders to responses. infra/grafana/METRICS.md explains each metric.' },
    ...{ tags: ['squitter'], timezone: 'utc', editable: true, graphTooltip: 1, schemaVersion: 39, version: 1, refresh: '15s' },
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus', current: {}, hide: 0 }] },
    annotations: { list: [] },
    links: [],
  };
  return `${JSON.stringify(head).slice(0, -1)},"panels":[\n${panels.map((panel) => JSON.stringify(panel)).join(',\n')}\n]}\n`;
}

function panelOf({ title, description, unit = 'short', style, show }: PanelRow['panels'][number], id: number, gridPos: object): object {
  const area = { stacked: 30, lines: 0, stat: 0, none: 10 }[style ?? 'none'];
  const custom = { lineWidth: 1, fillOpacity: area, showPoints: 'never', stacking: { mode: style === 'stacked' ? 'normal' : 'none' } };
  const targets = show.map(([legendFormat, expr], i) => ({ refId: 'ABCDEFGHIJ'[i], datasource: DATASOURCE, expr, legendFormat }));
  const shared = { id, title, description, datasource: DATASOURCE, gridPos, targets };
  if (style === 'stat')
    return {
      ...{ ...shared, type: 'stat', fieldConfig: { defaults: { unit, min: 0 }, overrides: [] } },
      options: { colorMode: 'value', graphMode: 'area', reduceOptions: { calcs: ['lastNotNull'] } },
    };
  return {
    ...{ ...shared, type: 'timeseries', fieldConfig: { defaults: { unit, min: 0, custom }, overrides: [] } },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  };
}
