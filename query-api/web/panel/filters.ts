// The filters as fields, made from their table, and what they let through in numbers.

import type { MapPage } from '../map/map-page.ts';
import { element } from '../page/parts.ts';
import { scaled, type Units, unitOf } from '../page/units.ts';
import { type Filter, filters, readRange } from '../sky/filters.ts';

/** Fields, and a line of active filters that can be removed one by one. */
export function openFilters({ store }: MapPage): { readonly form: HTMLElement; readonly chips: HTMLElement } {
  const form = element('form', { id: 'filters', class: 'floating', 'aria-label': 'Filters', hidden: true });
  const chips = element('div', { class: 'row' });
  const set = (name: string, value: string): void => store.set({ filters: { ...store.view.filters, [name]: value } });
  form.addEventListener('submit', (event) => event.preventDefault());
  store.listen((view, before) => {
    if (view === before || view.units !== before.units)
      form.replaceChildren(
        ...filters.map((filter) => field(filter, view.units, set)),
        element('button', { type: 'button', onclick: () => store.set({ filters: {} }) }, 'Remove all filters'),
      );
    if (view !== before && view.filters === before.filters && view.units === before.units) return;
    for (const filter of filters) write(form, filter, view.filters[filter.name] ?? '', view.units);
    chips.replaceChildren(
      ...filters.flatMap((filter) => {
        const value = view.filters[filter.name];
        if (value === undefined || value === '') return [];
        const text = `${filter.title}: ${inWords(filter, value, view.units)}`;
        return [
          element(
            'button',
            { type: 'button', class: 'filter-chip', 'aria-label': `Remove the filter ${text}`, onclick: () => set(filter.name, '') },
            `${text} ×`,
          ),
        ];
      }),
    );
  });
  return { form, chips };
}

function field(filter: Filter, units: Units, set: (name: string, value: string) => void): HTMLElement {
  const { name, title, kind } = filter;
  if (kind === 'range') {
    const ends = ['from', 'to'].map((end) =>
      element('input', { id: `f-${name}-${end}`, type: 'number', min: 0, placeholder: end, 'aria-label': `${title} ${end}` }),
    );
    const changed = (): void => {
      const [from, to] = ends.map(({ value }) => (value === '' ? '' : String(Math.round(Number(value) / scaled(1, filter.unit!, units)))));
      set(name, from === '' && to === '' ? '' : `${from}-${to}`);
    };
    for (const end of ends) end.addEventListener('change', changed);
    return element('fieldset', {}, element('legend', {}, `${title}, ${unitOf(filter.unit!, units)}`), ...ends);
  }
  const input =
    kind === 'words'
      ? element('input', {
          id: `f-${name}`,
          placeholder: filter.hint ?? '',
          autocomplete: 'off',
          spellcheck: 'false',
          autocapitalize: 'characters',
        })
      : element(
          'select',
          { id: `f-${name}` },
          ...[['', 'all'] as const, ...filter.choices!].map(([value, text]) => element('option', { value }, text)),
        );
  input.addEventListener('change', () => set(name, input.value.trim()));
  return element('label', {}, title, input);
}

function write(form: HTMLElement, { name, kind, unit }: Filter, value: string, units: Units): void {
  const input = (id: string): HTMLInputElement => form.querySelector(`#${id}`)!;
  if (kind !== 'range') input(`f-${name}`).value = value;
  else
    for (const [i, end] of ['from', 'to'].entries()) {
      const limit = value === '' ? Number.POSITIVE_INFINITY : readRange(value)[i]!;
      input(`f-${name}-${end}`).value = Number.isFinite(limit) ? String(Math.round(scaled(limit, unit!, units))) : '';
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
