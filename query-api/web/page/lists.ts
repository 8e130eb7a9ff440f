// Lists that are written again with each picture: only what changed is, so that a picture costs no layout.
import { element, setText } from './parts.ts';

/** A text is undefined while it is unknown. */
export type Fact = readonly [title: string, text: string | undefined];

/** Makes these the children of an element. One that is where it belongs is not touched: it keeps the pointer, and a click that lasts; the focus stays where it is. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const focused = document.activeElement;
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  for (const [n, child] of children.entries()) if (parent.children[n] !== child) parent.insertBefore(child, parent.children[n] ?? null);
  if (focused !== document.activeElement && parent.contains(focused)) (focused as HTMLElement).focus({ preventScroll: true });
}

/** Titles and texts. A title that had a text stays, with a dash, until another subject is shown: lines do not jump. */
export class Facts {
  readonly list: HTMLElement;
  private subject = '';
  private readonly rows = new Map<string, HTMLElement>();

  constructor(list: HTMLElement = element('dl', { class: 'facts' })) {
    this.list = list;
  }

  update(subject: string, facts: readonly Fact[]): void {
    if (subject !== this.subject) this.rows.clear();
    this.subject = subject;
    for (const [title, text] of facts) {
      if (text !== undefined && !this.rows.has(title)) this.rows.set(title, element('div', {}, element('dt', {}, title), element('dd')));
      const row = this.rows.get(title);
      if (row !== undefined) setText(row.lastElementChild!, text ?? '—');
    }
    arrange(
      this.list,
      facts.flatMap(([title]) => this.rows.get(title) ?? []),
    );
  }
}

export interface Line {
  readonly key: string;
  /** The first is the text of the button. */
  readonly cells: readonly string[];
  /** A label of the button, where its text does not say enough. */
  readonly label?: string;
  readonly isCurrent?: boolean;
}

/** A table of lines by key. A line is chosen by its button, or by a click anywhere in it; with `removed` it has a second button. */
export class Lines {
  readonly table: HTMLElement;
  private readonly body = element('tbody');
  private readonly isRemovable: boolean;
  private rows = new Map<string, HTMLTableRowElement>();

  /** `caption` is for screen readers. */
  constructor(
    caption: string,
    heads: readonly string[],
    chosen: (key: string, event: MouseEvent) => void,
    removed?: (key: string) => void,
  ) {
    this.isRemovable = removed !== undefined;
    const titles = heads.map((head) => (head === '' ? element('td') : element('th', { scope: 'col' }, head)));
    const head = element('thead', {}, element('tr', {}, ...titles));
    this.table = element('table', { class: 'lines' }, element('caption', { class: 'hidden' }, caption), head, this.body);
    this.body.addEventListener('click', (event) => {
      const target = event.target as Element;
      const key = target.closest('tr')?.dataset['key'];
      if (key === undefined) return;
      if (target.closest('.remove') !== null) removed?.(key);
      else chosen(key, event);
    });
  }

  update(lines: readonly Line[]): void {
    this.rows = new Map(lines.map((line) => [line.key, this.rows.get(line.key) ?? this.madeRow(line)]));
    for (const { key, cells, isCurrent = false } of lines) {
      const row = this.rows.get(key)!;
      for (const [n, text] of cells.entries()) setText(n === 0 ? row.querySelector('.line')! : row.cells[n]!, text);
      if ((row.ariaCurrent === 'true') !== isCurrent) row.ariaCurrent = isCurrent ? 'true' : null;
    }
    arrange(this.body, [...this.rows.values()]);
  }

  private madeRow({ key, cells, label }: Line): HTMLTableRowElement {
    const chooses = element('button', { type: 'button', class: 'line', 'aria-label': label ?? null });
    const removes = element('button', { type: 'button', class: 'remove', 'aria-label': `Remove ${cells[0]}` }, '×');
    const all = [chooses, ...cells.slice(1), ...(this.isRemovable ? [removes] : [])];
    return element('tr', { 'data-key': key }, ...all.map((each) => element('td', {}, each)));
  }
}
