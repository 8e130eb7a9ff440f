// The filters as fields, made from their table, and what they let through in numbers.
import type { MapPage } from '../map/map-page.ts';
import { button, element } from '../page/parts.ts';
import { scaled, type Units, unitOf } from '../page/units.ts';
import { type Filter, filters, readRange } from '../sky/filters.ts';

const ENDS = ['from', 'to'] as const;

/** Fields, and a line of active filters that can be removed one by one. */
export function openFilters({ store }: MapPage): { readonly form: HTMLElement; readonly chips: HTMLElement } {
  const onsubmit = (event: Event): void => event.preventDefault();
  const form = element('form', { id: 'filters', class: 'floating', 'aria-label': 'Filters', hidden: true, onsubmit });
  const chips = element('div', { class: 'row' });
  const set = (name: string, value: string): void => store.set({ filters: { ...store.view.filters, [name]: value } });
  const chip = (filter: Filter, value: string): HTMLElement => {
    const text = `${filter.title}: ${inWords(filter, value, store.view.units)}`;
    return button(`${text} ×`, () => set(filter.name, ''), { class: 'filter-chip', 'aria-label': `Remove the filter ${text}` });
  };
  store.listen((view, before) => {
    const isAnew = view === before || view.units !== before.units;
    if (isAnew)
      form.replaceChildren(
        ...filters.map((filter) => field(filter, view.units, set)),
        button('Remove all filters', () => store.set({ filters: {} })),
      );
    if (!isAnew && view.filters === before.filters) return;
    for (const filter of filters) write(form, filter, view.filters[filter.name] ?? '', view.units);
    chips.replaceChildren(...filters.flatMap((filter) => (view.filters[filter.name] ? chip(filter, view.filters[filter.name]!) : [])));
  });
  return { form, chips };
}

function field(filter: Filter, units: Units, set: (name: string, value: string) => void): HTMLElement {
  const { name, title, kind, unit, hint = '', choices = [] } = filter;
  if (kind === 'range') {
    const onchange = (): void => {
      const [from, to] = ends.map(({ value }) => (value === '' ? '' : String(Math.round(Number(value) / scaled(1, unit!, units)))));
      set(name, from === '' && to === '' ? '' : `${from}-${to}`);
    };
    const ends = ENDS.map((end) =>
      element('input', { id: `f-${name}-${end}`, type: 'number', min: 0, placeholder: end, 'aria-label': `${title} ${end}`, onchange }),
    );
    return element('fieldset', {}, element('legend', {}, `${title}, ${unitOf(unit!, units)}`), ...ends);
  }
  const onchange = ({ target }: Event): void => set(name, (target as HTMLInputElement).value.trim());
  const options = [['', 'all'] as const, ...choices].map(([value, text]) => element('option', { value }, text));
  const words = { placeholder: hint, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'characters' };
  const input =
    kind === 'words'
      ? element('input', { id: `f-${name}`, ...words, onchange })
      : element('select', { id: `f-${name}`, onchange }, ...options);
  return element('label', {}, title, input);
}

function write(form: HTMLElement, { name, kind, unit }: Filter, value: string, units: Units): void {
  const input = (id: string): HTMLInputElement => form.querySelector(`#f-${id}`)!;
  if (kind !== 'range') input(name).value = value;
  else
    for (const [i, end] of ENDS.entries()) {
      const limit = value === '' ? Number.POSITIVE_INFINITY : readRange(value)[i]!;
      input(`${name}-${end}`).value = Number.isFinite(limit) ? String(Math.round(scaled(limit, unit!, units))) : '';
    }
}

function inWords({ kind, choices, unit }: Filter, value: string, units: Units): string {
  if (kind === 'choice') return choices!.find(([each]) => each === value)?.[1] ?? value;
  if (kind === 'words') return value.toUpperCase();
  const [from, to] = readRange(value);
  const text = (limit: number): string => Math.round(scaled(limit, unit!, units)).toLocaleString('en');
  const range = !Number.isFinite(to) ? `from ${text(from)}` : !Number.isFinite(from) ? `to ${text(to)}` : `${text(from)} to ${text(to)}`;
  return `${range} ${unitOf(unit!, units)}`;
}
