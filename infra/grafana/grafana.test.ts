// Dashboard and alerts use existing metrics, alerts fire as in their test cases, and alerts and runbooks correspond.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { describedMetrics } from '../../pipeline/runtime/metrics.ts';
import { debianProgram, projectDir } from '../../test/support/requirements.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { dashboardDocument, metricsDocument, type PanelRow } from './documents.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const folder = import.meta.dirname;
const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
const rules = (parse(text('alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const panelRows = parse(text('panels.yaml')) as PanelRow[];
const panels = panelRows.flatMap((row) => row.panels);
const expressions = panels.flatMap(({ show }) => show.map(([, expr]) => expr));
const metrics = [...describedMetrics].map(([name, { type }]) => ({ name, type }));
const promtool = debianProgram('promtool', 'prometheus');

const known = new Set(
  metrics.flatMap(({ name, type }) => (type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name])),
);

/** Ours: prom-client adds those of the process. */
const metricsIn = (expression: string): string[] => expression.match(/\bsquitter_\w+/g) ?? [];

function run(...args: readonly string[]): string {
  return execFileSync(promtool.path, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

test.each([
  ['METRICS.md', () => metricsDocument(text('METRICS.md'))],
  ['dashboard.json', () => dashboardDocument(panelRows)],
])('%s is made of its table', (file, made) => {
  if (process.env['RENEW_DOCUMENTS'] === '1') writeFileSync(join(folder, file), made());
  expect(text(file)).toBe(made());
});

test('metrics have one naming scheme', () => {
  for (const { name, type } of metrics) {
    expect(name).toMatch(
      /^squitter_(access|ingest|fold|log|past|view|tracks|flights|project|reference|http|push|grpc|record|tool|output|history|export|kafka|redis)_[a-z]+(_[a-z]+)*$/,
    );
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    // A unit is last, or precedes `_total`.
    expect(name, name).not.toMatch(/(seconds|bytes)_(?!total$)|_(ms|us|millis|kb|mb|percent|minutes)(_|$)/);
  }
  expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
});

describe('the alerts', () => {
  test('have a name, a severity and a summary, and use existing metrics', () => {
    for (const { alert, expr, labels, annotations } of rules) {
      const names = metricsIn(expr);
      expect(names.length > 0 || /\b(up\{|process_|nodejs_)/.test(expr), alert).toBe(true);
      for (const name of names) expect(known, `${name} in ${alert}`).toContain(name);
      expect(alert).toMatch(/^Squitter[A-Z][A-Za-z]+$/);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
    }
  });

  test.skipIf(!promtool.met)(`are valid, and fire as in their test cases: every alert has one ${promtool.reason}`, () => {
    expect(run('check', 'rules', 'alerts.yaml')).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(run('test', 'rules', 'alerts.test.yaml')).toContain('SUCCESS');
    const cases = text('alerts.test.yaml');
    // A case that expects the alert to fire.
    for (const { alert } of rules) expect(cases).toMatch(new RegExp(`alertname: ${alert}\\n\\s+exp_alerts:\\n\\s+- exp_labels`));
  });
});

describe('the runbooks', () => {
  const runbooks = readdirSync(join(folder, '../runbooks')).filter((file) => file !== 'README.md');

  test('exist for each alert, which links its own', () => {
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(rules.map(({ alert }) => `infra/runbooks/${alert}.md`));
    expect([...runbooks].sort()).toEqual(rules.map(({ alert }) => `${alert}.md`).sort());
  });

  test.each(runbooks)('%s has the severity, all sections, and only existing links and metrics', (file) => {
    const runbook = text(`../runbooks/${file}`);
    const rule = rules.find(({ alert }) => file === `${alert}.md`)!;
    expect(runbook.split('\n')[0]).toBe(`# ${rule.alert}`);
    expect(runbook.split('\n')[2]!.toLowerCase()).toMatch(new RegExp(`^${rule.labels.severity}\\. `));
    expect(runbook.match(/^## .*$/gm)).toEqual(['## Symptom', '## First look', '## Fix', '## How to verify']);
    for (const [, link] of runbook.matchAll(/\]\(([^)]+)\)/g)) expect(runbooks).toContain(link);
    for (const name of metricsIn(runbook)) expect(known, name).toContain(name);
    for (const [path] of runbook.matchAll(/\binfra\/[\w./-]+\.(md|yaml)\b/g))
      expect(readFileSync(join(projectDir, path), 'utf8')).not.toBe('');
  });
});

test('the dashboard uses existing metrics, and nearly all of them', () => {
  const used = new Set(expressions.flatMap(metricsIn));
  for (const name of used) expect(known, name).toContain(name);
  const shown = new Set([...used].map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  const missing = metrics.map(({ name }) => name).filter((name) => !shown.has(name));
  expect(missing).toEqual(['squitter_fold_next_offset', 'squitter_flights_next_offset', 'squitter_project_next_offset']);
});

/** Checks a document with promtool. */
function checked(command: 'rules' | 'config', document: object): string {
  const scratch = temporaryFolder();
  mkdirSync(scratch.path, { recursive: true });
  const file = join(scratch.path, 'document.yaml');
  writeFileSync(file, stringify(document));
  try {
    return run('check', command, file);
  } finally {
    scratch.remove();
  }
}

test.skipIf(!promtool.met)(`the expressions of the dashboard and the scraping of both clusters are valid ${promtool.reason}`, () => {
  const valid = expressions.map((expr) => expr.replaceAll('$__rate_interval', '1m'));
  const rulesOf = valid.map((expr, i) => ({ record: `panel_${i}`, expr }));
  expect(checked('rules', { groups: [{ name: 'panels', rules: rulesOf }] })).toContain(`${valid.length} rules found`);
  expect(run('check', 'config', 'prometheus.yaml')).toContain('SUCCESS');
  const {
    scrape_configs: [scrape],
  } = parse(text('../k8s/extras/prometheus-scrape.yaml')) as {
    scrape_configs: [{ kubernetes_sd_configs?: unknown; relabel_configs: { target_label?: string }[] }];
  };
  expect(scrape.relabel_configs.find(({ target_label }) => target_label === 'job')).toMatchObject({ replacement: 'squitter-$1' });
  // Debian's promtool is built without Kubernetes, so its service discovery is not checked.
  delete scrape.kubernetes_sd_configs;
  expect(checked('config', { scrape_configs: [{ ...scrape, static_configs: [{ targets: ['a:1'] }] }] })).toContain('SUCCESS');
});
