// CONFIGURATION.md, made from the option tables: `squitter config docs > infra/cluster/CONFIGURATION.md`.
import { type OptionTable, shownValue } from '../../pipeline/runtime/options.ts';
import { serviceNames, services } from './configuration.ts';

export function configurationDocument(): string {
  const tables = serviceNames.map((name) => services[name].options as OptionTable);
  const isShared = (key: string): boolean =>
    tables.filter((table) => table[key]?.env !== undefined && sameRow(table[key], tables, key)).length === tables.length;
  const lines = [
    '# Configuration of the cluster profile',
    '',
    'Made by `squitter config docs` from `configuration.ts`: do not edit. A flag beats its variable; a variable that is empty counts as not set.',
    'A list takes commas between its values, its flag may also come again. A secret comes from its variable, or from the file that the variable with',
    '`_FILE` behind its name gives; it has no flag and is never printed. `squitter config check` shows what a service would run with.',
  ];
  for (const [i, name] of serviceNames.entries()) {
    const own = Object.entries(tables[i]!).filter(([key]) => !isShared(key));
    lines.push('', `## ${name}`, '', `${capitalized(services[name].summary)}.`, '', ...tableOf(own.map(([, option]) => option)));
  }
  const shared = Object.entries(tables[0]!).filter(([key]) => isShared(key));
  lines.push('', '## every service', '', ...tableOf(shared.map(([, option]) => option)), '');
  return lines.join('\n');
}

/** Whether an option is the very same in all tables. */
function sameRow(option: OptionTable[string], tables: readonly OptionTable[], key: string): boolean {
  return tables.every((table) => table[key] !== undefined && row(table[key]) === row(option));
}

function tableOf(options: readonly OptionTable[string][]): string[] {
  return ['| variable | flag | default | what |', '|---|---|---|---|', ...options.map(row)];
}

function row(option: OptionTable[string]): string {
  const { env, flag, value, required, repeatable, secret, help } = option;
  const variable = secret === true ? `\`${env}\` or \`${env}_FILE\`` : `\`${env}\``;
  const fallback = shownValue(option, option.fallback);
  const shown = required === true ? 'required' : fallback === '' ? (value === undefined ? 'false' : '') : `\`${fallback}\``;
  const notes = [...(secret === true ? ['secret'] : []), ...(repeatable === true ? ['list'] : [])];
  const flagText = flag === undefined ? '' : `\`--${flag}${value === undefined ? '' : ` ${value}`}\``;
  return `| ${variable} | ${flagText} | ${shown} | ${help}${notes.length === 0 ? '' : ` (${notes.join(', ')})`} |`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
