// The dashboard of a feeder's owner. It draws /v2/feeders/me and posts what the owner decides; the session is in a cookie that scripts cannot read.
import { compass } from '../page/compass.ts';
import { Facts } from '../page/lists.ts';
import { ask, byId, element, ResponseError, serviceUrl, setNotice } from '../page/parts.ts';
import { Plot, stepsOf } from '../page/plot.ts';
import { number } from '../page/units.ts';
import { watch } from '../page/watch.ts';

const REFRESH_S = 60;
const HEIGHT = 128;

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
  readonly history?: {
    readonly from: number;
    readonly to: number;
    readonly step_seconds: number;
    /** In 16 directions, north first, clockwise. */
    readonly ranges_nm: readonly number[];
    readonly points: readonly { readonly time: number; readonly range_nm: number }[];
  };
  readonly history_problem?: string;
}

const notify = (id: string, text: string): void => setNotice(byId(id), text);
/** Bytes in kB, MB or GB. */
const bytes = (value: number): string =>
  value < 1e6 ? `${number(value / 1e3)} kB` : value < 1e9 ? `${number(value / 1e6)} MB` : `${number(value / 1e9)} GB`;
/** Unix seconds as a local date and time. */
const time = (s: number): string => new Date(s * 1000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
const ifKnown = <T>(value: T | undefined, words: (known: T) => string): string | undefined =>
  value === undefined ? undefined : words(value);

/** Buttons by their ids: what they post, and what is said then. */
const acts: Readonly<Record<string, readonly [act: string, done: string]>> = {
  here: ['open', 'You are the owner of this feeder.'],
  rotate: ['rotate', 'Here is your new key. The one before it is valid for 7 more days.'],
  revoke: ['revoke', 'Every key before this one is revoked.'],
  leave: ['leave', 'You have left.'],
};

class Dashboard {
  private span = 'day';
  private stop = (): void => {};
  /** One act at a time. */
  private isActing = false;
  private readonly facts = new Facts(byId('facts'));
  private readonly limits = new Facts(byId('limits'));
  private readonly plots = [
    new Plot({ title: 'Messages', unit: 'a second', series: [['messages_per_second', 'messages']], fromZero: true, height: HEIGHT }),
    new Plot({ title: 'Aircraft', unit: 'at a time', series: [['aircraft', 'aircraft']], fromZero: true, height: HEIGHT }),
    new Plot({ title: 'Signal', unit: 'dBFS', series: [['signal_dbfs', 'signal']], height: HEIGHT }),
    new Plot({ title: 'Range', unit: 'nm', series: [['range', 'range']], fromZero: true, height: HEIGHT }),
  ];
  private readonly range = element('div');

  constructor() {
    byId('plots').append(...this.plots.map((plot) => plot.element), this.range);
    const [proof, name, shows, key] = ['proof', 'name', 'show-range', 'key'].map((id) => byId<HTMLInputElement>(id));
    byId('open').addEventListener('submit', async (event) => {
      event.preventDefault();
      await this.act('open', 'You are the owner of this feeder.', { proof: proof!.value });
      if (byId('door').hidden) proof!.value = '';
    });
    byId('settings').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.act('change', 'Saved.', { name: name!.value, show_range: shows!.checked });
    });
    for (const [id, [act, done]] of Object.entries(acts)) byId(id).addEventListener('click', () => this.act(act, done));
    key!.addEventListener('focus', () => key!.select());
    const spans = [...document.querySelectorAll<HTMLButtonElement>('[data-span]')];
    for (const chosen of spans)
      chosen.addEventListener('click', () => {
        this.span = chosen.dataset['span']!;
        for (const each of spans) each.setAttribute('aria-pressed', String(each === chosen));
        byId('span-name').textContent = this.span;
        this.load();
      });
    this.load();
  }

  private load(): void {
    this.stop();
    this.stop = watch<Feeder>({
      ...{ path: `v2/feeders/me?span=${this.span}`, everyS: REFRESH_S },
      done: (feeder) => {
        this.show(feeder);
        notify('problem', '');
      },
      failed: (problem, error) => {
        if (!this.isClosed(error)) notify('problem', problem);
      },
    });
  }

  /** Posts an act, and says what it did. */
  private async act(name: string, done: string, body: object = {}): Promise<void> {
    if (this.isActing) return;
    this.isActing = true;
    notify('done', '');
    notify('problem', '');
    try {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const response = await ask(serviceUrl(`feeders/${name}?span=${this.span}`), null, post);
      (document.activeElement as HTMLElement | null)?.blur();
      if (response.status === 204) this.showEntry();
      else this.show((await response.json()) as Feeder);
      notify('done', done);
      // The keyboard and screen readers continue at the top, which has the result.
      byId('title').focus();
    } catch (error) {
      this.isClosed(error);
      notify('problem', (error as Error).message);
    } finally {
      this.isActing = false;
    }
  }

  /** True, and shows the door, for an error that says that there is no session. */
  private isClosed(error: unknown): boolean {
    const isClosed = error instanceof ResponseError && error.status === 401;
    if (isClosed) this.showEntry();
    return isClosed;
  }

  private showEntry(): void {
    byId('board').hidden = true;
    byId('door').hidden = false;
    byId('title').textContent = 'Your feeder';
  }

  private show(feeder: Feeder): void {
    byId('door').hidden = true;
    byId('board').hidden = false;
    byId('title').textContent = feeder.name === '' ? 'Your feeder' : feeder.name;
    const { state, text, troubles } = feeder.health;
    notify('health', text);
    byId('health').className = `notice ${state === 'trouble' ? 'problem' : 'good'}`;
    const advices = troubles.map(({ text: what, advice }) => element('li', {}, troubles.length > 1 ? `${what} ${advice}` : advice));
    byId('troubles').hidden = troubles.length === 0;
    byId('troubles').replaceChildren(...advices);
    this.facts.update('', [
      ['Connected since', ifKnown(feeder.connected_since, time)],
      ['Last heard of', feeder.connected ? undefined : ifKnown(feeder.last_seen, time)],
      ['Format', feeder.format],
      ['Messages a second', ifKnown(feeder.messages_per_second, number)],
      ['Aircraft', number(feeder.aircraft)],
      ['Signal', ifKnown(feeder.signal_dbfs, (level) => `${number(level)} dBFS`)],
      ['Late', feeder.late_seconds > 0 ? `${feeder.late_seconds} s` : undefined],
      ['Id', feeder.id],
    ]);
    this.showHistory(feeder);
    byId<HTMLInputElement>('key').value = feeder.key ?? 'revoked: make a new one';
    notify('previous', ifKnown(feeder.previous_key_ends, (ends) => `The key before it is valid until ${time(ends)}.`) ?? '');
    this.showLimits(feeder);
    // A field that is being edited stays.
    if (byId('settings').contains(document.activeElement)) return;
    byId<HTMLInputElement>('name').value = feeder.name;
    byId<HTMLInputElement>('show-range').checked = feeder.show_range;
  }

  private showHistory({ history, history_problem: problem = '' }: Feeder): void {
    notify('no-history', problem === '' ? '' : `No plots: ${problem}.`);
    byId('plots').hidden = history === undefined;
    if (history === undefined) return;
    const { from, to, step_seconds: step, points, ranges_nm: ranges } = history;
    // Without a position there is no range.
    const known = points.map(({ range_nm: range, ...point }) => ({ ...point, range: range || null }));
    const rows = stepsOf(from, to, step, known);
    for (const plot of this.plots) plot.show(rows);
    this.range.replaceChildren(compass(ranges));
  }

  private showLimits({ tier, tier_reason: why, limits, today, contributor_until: until, trial_ends: trialEnds }: Feeder): void {
    const ends = ifKnown(tier === 'trial' ? trialEnds : tier === 'contributor' ? until : undefined, time);
    const words = `Tier: ${tier}. ${why}${ends === undefined ? '' : ` As of now, until ${ends}.`}`;
    byId('tier').textContent = tier === undefined ? 'There is no key: make a new one.' : words;
    this.limits.update('', [
      ['Requests', ifKnown(limits, (all) => `${number(today.requests)} of ${number(all.requests_a_day)}, one in ${all.request_seconds} s`)],
      ['Data', ifKnown(limits, (all) => `${bytes(today.bytes)} of ${bytes(all.bytes_a_day)}`)],
      ['Streams at a time', ifKnown(limits, (all) => String(all.sockets))],
      ['Interval of streams', ifKnown(limits, (all) => `${all.push_seconds} s`)],
    ]);
  }
}

new Dashboard();
