// Lists of panels that are written again with each picture: only texts that changed are, so that a picture costs no layout.
import { element } from '../page/parts.ts';
import type { Fact } from './facts.ts';

export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
export function setHidden(node: HTMLElement, isHidden: boolean): void {
  if (node.hidden !== isHidden) node.hidden = isHidden;
}

/** Titles and texts. A title that had a text stays, with a dash, until another subject is shown: lines do not jump. */
export class Facts {
  readonly list = element('dl', { class: 'facts' });
  private subject = '';
  private readonly values = new Map<string, { readonly row: HTMLElement; readonly value: HTMLElement }>();

  update(subject: string, facts: readonly Fact[]): void {
    if (subject !== this.subject) {
      this.values.clear();
      this.subject = subject;
    }
    const rows = facts.flatMap(([title, text]) => {
      if (text === undefined && !this.values.has(title)) return [];
      const { row, value } = this.values.get(title) ?? this.made(title);
      setText(value, text ?? '—');
      return row;
    });
    const { children } = this.list;
    if (rows.length !== children.length || rows.some((row, n) => row !== children[n])) this.list.replaceChildren(...rows);
  }

  private made(title: string) {
    const value = element('dd');
    const made = { row: element('div', {}, element('dt', {}, title), value), value };
    this.values.set(title, made);
    return made;
  }
}

export interface Line {
  readonly key: string;
  /** The first is the text of the button. */
  readonly cells: readonly string[];
  /** Of the button, where its text does not say enough. */
  readonly label?: string;
  readonly isCurrent?: boolean;
}

/** Rows of a table by key. A row is chosen by its button, or by a click anywhere in it; with `removed` it has a second button. */
export class Lines {
  readonly body: HTMLTableSectionElement;
  private rows = new Map<string, HTMLTableRowElement>();

  private readonly isRemovable: boolean;

  constructor(chosen: (key: string, event: MouseEvent) => void, removed?: (key: string) => void) {
    this.isRemovable = removed !== undefined;
    const onclick = (event: Event): void => {
      const target = event.target as Element;
      const key = target.closest('tr')?.dataset['key'];
      if (key === undefined) return;
      if (target.closest('.remove') !== null) removed?.(key);
      else chosen(key, event as MouseEvent);
    };
    this.body = element('tbody', { onclick });
  }

  update(lines: readonly Line[]): void {
    const before = this.rows;
    this.rows = new Map(lines.map(({ key, cells }) => [key, before.get(key) ?? madeRow(key, cells.length, this.isRemovable)]));
    for (const { key, cells, label, isCurrent = false } of lines) {
      const row = this.rows.get(key)!;
      for (const [n, text] of cells.entries()) setText(n === 0 ? row.cells[0]!.firstElementChild! : row.cells[n]!, text);
      const button = row.cells[0]!.firstElementChild!;
      if (label !== undefined && button.ariaLabel !== label) button.ariaLabel = label;
      const remove = row.querySelector('.remove');
      if (remove !== null && remove.ariaLabel !== `Remove ${cells[0]}`) remove.ariaLabel = `Remove ${cells[0]}`;
      if ((row.ariaCurrent === 'true') !== isCurrent) row.ariaCurrent = isCurrent ? 'true' : null;
    }
    for (const [key, row] of before) if (!this.rows.has(key)) row.remove();
    let at = 0;
    // A row that is where it belongs keeps the focus.
    for (const row of this.rows.values()) {
      if (this.body.children[at] !== row) this.body.insertBefore(row, this.body.children[at] ?? null);
      at += 1;
    }
  }
}

function madeRow(key: string, cells: number, isRemovable: boolean): HTMLTableRowElement {
  const row = element('tr', { 'data-key': key });
  row.append(element('td', {}, element('button', { type: 'button', class: 'line' })));
  for (let n = 1; n < cells; n += 1) row.append(element('td'));
  if (isRemovable) row.append(element('td', {}, element('button', { type: 'button', class: 'remove' }, '×')));
  return row;
}

/** A table with a caption for screen readers. */
export function madeTable(caption: string, heads: readonly string[], lines: Lines): HTMLElement {
  const titles = heads.map((head) => (head === '' ? element('td') : element('th', { scope: 'col' }, head)));
  return element(
    'table',
    { class: 'lines' },
    element('caption', { class: 'hidden' }, caption),
    element('thead', {}, element('tr', {}, ...titles)),
    lines.body,
  );
}
