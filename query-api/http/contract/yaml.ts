// JSON data as YAML 1.2: block style, texts in double quotes, which YAML reads like JSON. README.md says why the package `yaml` is not used.

/** A document that a YAML parser reads as this value. `value` must be plain JSON. */
export function toYaml(value: unknown): string {
  return `${block(value, '')}\n`;
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map((item) => `${indent}- ${nested(item, `${indent}  `)}`).join('\n');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value);
  return entries.length === 0 ? '{}' : entries.map(([name, item]) => `${indent}${key(name)}:${member(item, indent)}`).join('\n');
}

/** Text after `- `: a collection begins on the same line. */
function nested(item: unknown, indent: string): string {
  return block(item, indent).slice(isFilled(item) ? indent.length : 0);
}

function member(item: unknown, indent: string): string {
  return isFilled(item) ? `\n${block(item, `${indent}  `)}` : ` ${block(item, '')}`;
}

function isFilled(item: unknown): boolean {
  return typeof item === 'object' && item !== null && Object.keys(item).length > 0;
}

/** Quotes words that YAML could read as something else (`true`, `no`, `200`). */
function key(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : JSON.stringify(name);
}
