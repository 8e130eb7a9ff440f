// The dashboard of a feeder's owner. It draws /v2/feeders/me and posts what the owner decides; the session is in a cookie that scripts cannot read.
import { bytes, number, time } from '../page/numbers.ts';
import { byId, element, ResponseError, serviceUrl } from '../page/parts.ts';
import { type FeederHistory, plotsOf } from './plots.ts';

const REFRESH_MS = 60_000;
const RETRY_MS = 5000;

/** `/v2/feeders/me`. Unknown members are absent. */
interface Feeder {
  readonly id: string;
  readonly name: string;
  readonly show_range: boolean;
  readonly key?: string;
  readonly previous_key_ends?: number;
  readonly health: {
    readonly state: string;
    readonly text: string;
    readonly troubles: readonly { readonly text: string; readonly advice: string }[];
  };
  readonly connected: boolean;
  readonly connected_since?: number;
  readonly format?: string;
  readonly last_seen?: number;
  readonly messages_per_second?: number;
  readonly aircraft: number;
  readonly signal_dbfs?: number;
  readonly late_seconds: number;
  readonly tier?: string;
  readonly tier_reason?: string;
  readonly contributor_until?: number;
  readonly trial_ends?: number;
  readonly limits?: Readonly<Record<'request_seconds' | 'requests_a_day' | 'push_seconds' | 'sockets' | 'bytes_a_day', number>>;
  readonly today: { readonly requests: number; readonly bytes: number };
  readonly history?: FeederHistory;
  readonly history_problem?: string;
}

function say(id: string, text: string): void {
  byId(id).hidden = text === '';
  byId(id).textContent = text;
}

/** Sends a request; the response as JSON, null without one. Error: `ResponseError` with the text of the problem. */
async function ask(path: string, act?: object): Promise<Feeder | null> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(act) };
  const response = await fetch(serviceUrl(path), act === undefined ? {} : post);
  const body = response.status === 204 ? null : await response.json();
  if (!response.ok) throw new ResponseError(response.status, body.detail);
  return body;
}

function facts(id: string, rows: readonly (readonly [string, string | undefined])[]): void {
  const shown = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [element('div', {}, element('dt', {}, name), element('dd', {}, value))],
  );
  byId(id).replaceChildren(...shown);
}

const ifKnown = <T>(value: T | undefined, words: (known: T) => string): string | undefined =>
  value === undefined ? undefined : words(value);

function showLimits({ tier, tier_reason: why, limits, today, contributor_until: until, trial_ends: trialEnds }: Feeder): void {
  const ends = tier === 'trial' ? trialEnds : tier === 'contributor' ? until : undefined;
  byId('tier').textContent =
    tier === undefined
      ? 'There is no key: make a new one.'
      : `Tier: ${tier}. ${why}${ends === undefined ? '' : ` As of now, until ${time(ends)}.`}`;
  facts('limits', [
    ['Requests', ifKnown(limits, (all) => `${number(today.requests)} of ${number(all.requests_a_day)}, one in ${all.request_seconds} s`)],
    ['Data', ifKnown(limits, (all) => `${bytes(today.bytes)} of ${bytes(all.bytes_a_day)}`)],
    ['Streams at a time', ifKnown(limits, (all) => String(all.sockets))],
    ['Interval of streams', ifKnown(limits, (all) => `${all.push_seconds} s`)],
  ]);
}

function showHealth({ health: { state, text, troubles } }: Feeder): void {
  byId('health').textContent = text;
  byId('health').className = `notice ${state === 'trouble' ? 'problem' : 'good'}`;
  byId('troubles').hidden = troubles.length === 0;
  byId('troubles').replaceChildren(
    ...troubles.map(({ text: what, advice }) => element('li', {}, troubles.length > 1 ? `${what} ${advice}` : advice)),
  );
}

function show(feeder: Feeder): void {
  byId('door').hidden = true;
  byId('board').hidden = false;
  byId('title').textContent = feeder.name === '' ? 'Your feeder' : feeder.name;
  showHealth(feeder);
  facts('facts', [
    ['Connected since', ifKnown(feeder.connected_since, time)],
    ['Last heard of', feeder.connected ? undefined : ifKnown(feeder.last_seen, time)],
    ['Format', feeder.format],
    ['Messages a second', ifKnown(feeder.messages_per_second, number)],
    ['Aircraft', number(feeder.aircraft)],
    ['Signal', ifKnown(feeder.signal_dbfs, (level) => `${number(level)} dBFS`)],
    ['Late', feeder.late_seconds > 0 ? `${feeder.late_seconds} s` : undefined],
    ['Id', feeder.id],
  ]);
  const { history, history_problem: problem = '', previous_key_ends: ends } = feeder;
  say('no-history', problem === '' ? '' : `No plots: ${problem}.`);
  byId('plots').replaceChildren(...(history === undefined ? [] : plotsOf(history)));
  byId<HTMLInputElement>('key').value = feeder.key ?? 'revoked: make a new one';
  say('previous', ends === undefined ? '' : `The key before it is valid until ${time(ends)}.`);
  showLimits(feeder);
  // What is being edited stays.
  if (!byId('settings').contains(document.activeElement)) {
    byId<HTMLInputElement>('name').value = feeder.name;
    byId<HTMLInputElement>('show-range').checked = feeder.show_range;
  }
}

function showDoor(): void {
  byId('board').hidden = true;
  byId('door').hidden = false;
  byId('title').textContent = 'Your feeder';
}

/** Shows an error, or without a session the door. True for the door. */
function showError(error: unknown): boolean {
  const isClosed = error instanceof ResponseError && error.status === 401;
  if (isClosed) showDoor();
  return isClosed;
}
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const buttons: Readonly<Record<string, readonly [act: string, done: string]>> = {
  here: ['open', 'You are the owner of this feeder.'],
  rotate: ['rotate', 'Here is your new key. The one before it is valid for 7 more days.'],
  revoke: ['revoke', 'Every key before this one is revoked.'],
  leave: ['leave', 'You have left.'],
};

class Dashboard {
  private span = 'day';
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** One act at a time. */
  private isActing = false;

  constructor() {
    const proof = byId<HTMLInputElement>('proof');
    byId('open').addEventListener('submit', async (event) => {
      event.preventDefault();
      await this.act('open', { proof: proof.value }, 'You are the owner of this feeder.');
      if (byId('door').hidden) proof.value = '';
    });
    byId('settings').addEventListener('submit', (event) => {
      event.preventDefault();
      const [name, showRange] = [byId<HTMLInputElement>('name').value, byId<HTMLInputElement>('show-range').checked];
      void this.act('change', { name, show_range: showRange }, 'Saved.');
    });
    for (const [id, [name, done]] of Object.entries(buttons)) byId(id).addEventListener('click', () => this.act(name, {}, done));
    const key = byId<HTMLInputElement>('key');
    key.addEventListener('focus', () => key.select());
    const spans = [...document.querySelectorAll<HTMLButtonElement>('[data-span]')];
    for (const button of spans)
      button.addEventListener('click', () => {
        this.span = button.dataset['span']!;
        for (const other of spans) other.setAttribute('aria-pressed', String(other === button));
        byId('span-name').textContent = this.span;
        void this.load();
      });
    setInterval(() => {
      if (document.visibilityState === 'visible' && !byId('board').hidden) void this.load();
    }, REFRESH_MS);
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      show((await ask(`v2/feeders/me?span=${this.span}`))!);
      say('problem', '');
    } catch (error) {
      if (showError(error)) return;
      say('problem', wordsOf(error));
      // The service restarts, or was asked too often.
      clearTimeout(this.retry);
      this.retry = setTimeout(() => void this.load(), RETRY_MS);
    }
  }

  /** Posts an act, and says what it did. */
  private async act(name: string, body: object, done: string): Promise<void> {
    if (this.isActing) return;
    this.isActing = true;
    say('done', '');
    say('problem', '');
    try {
      const feeder = await ask(`feeders/${name}?span=${this.span}`, body);
      (document.activeElement as HTMLElement | null)?.blur();
      if (feeder === null) showDoor();
      else show(feeder);
      say('done', done);
      // The keyboard and screen readers go on from the top, where it says what happened.
      byId('title').focus();
    } catch (error) {
      showError(error);
      say('problem', wordsOf(error));
    } finally {
      this.isActing = false;
    }
  }
}

new Dashboard();
