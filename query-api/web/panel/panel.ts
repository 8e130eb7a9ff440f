// The side of the map: its panels, and their common parts.
import { element, setNotice, setText } from '../page/parts.ts';
import type { View, ViewStore } from '../page/view.ts';
import type { Aircraft } from '../sky/picture.ts';

export interface Panel {
  readonly element: HTMLElement;
  /** The panel that is shown; empty without one. */
  readonly key: (view: View) => string;
  /** Short, for a button and an announcement. */
  readonly title: (view: View) => string;
  /** Changes the view so that the panel is not open. */
  readonly close: () => void;
}

/** A part of the panel of an aircraft. */
export interface Section {
  readonly element: HTMLElement;
  /** Another aircraft or another moment, ms since the Unix epoch; null is now. */
  show(hex: string, atMs: number | null): void;
  /** The aircraft as it is in the newest picture. */
  update?(aircraft: Aircraft, nowMs: number): void;
}

export const section = (title: string, ...content: readonly Node[]): HTMLElement =>
  element('section', {}, element('h3', {}, title), ...content);

/** A moment that changes is looked up when it stays for so long. */
const SETTLED_MS = 700;

/** Calls `show` with another subject at once, and for another moment when that stays. A moment that plays is none. */
export function onSubject(store: ViewStore, key: Panel['key'], show: (subject: string, atMs: number | null) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const load = (): void => show(key(store.view), store.view.atMs);
  store.listen((view, before) => {
    const isAnother = key(view) !== key(before) || view === before;
    const isMoved = view.pace !== before.pace || (view.atMs !== before.atMs && view.pace === 0);
    if (isAnother || isMoved) clearTimeout(timer);
    if (isAnother) load();
    else if (isMoved) timer = setTimeout(load, SETTLED_MS);
  });
}

/** The top of a panel: name, what it is, something urgent and something to know, and buttons. */
export function openHead(...buttons: readonly HTMLElement[]) {
  const [name, about] = [element('h2'), element('p', { class: 'quiet' })];
  const [urgent, notice] = [element('p', { class: 'notice problem' }), element('p', { class: 'notice' })];
  return {
    elements: [element('div', { class: 'panel-head' }, name, about, urgent, notice), element('div', { class: 'row actions' }, ...buttons)],
    update: (texts: { readonly name: string; readonly about: string; readonly urgent: string; readonly notice: string }): void => {
      setText(name, texts.name);
      setText(about, texts.about);
      setNotice(urgent, texts.urgent);
      setNotice(notice, texts.notice);
    },
  };
}
