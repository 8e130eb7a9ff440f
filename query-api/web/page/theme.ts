// Colours of a page: those of the system, or the choice of its reader, which this browser keeps. The script runs before the page is drawn, so that
// no page flashes in other colours; it is no module and exports nothing. `<html>` has the choice as `data-theme`; the event `theme` follows a change.
{
  const KEY = 'theme';
  const choices = ['system', 'light', 'dark'];
  const root = document.documentElement;

  /** Storage can be forbidden: then a choice is for this page. */
  const stored = (choice?: string): string | null => {
    try {
      if (choice !== undefined) localStorage.setItem(KEY, choice);
      return localStorage.getItem(KEY);
    } catch {
      return choice ?? null;
    }
  };
  const chosen = (): string => root.dataset['theme'] ?? 'system';
  const choose = (choice: string | null): void => {
    if (choice === 'light' || choice === 'dark') root.dataset['theme'] = choice;
    else delete root.dataset['theme'];
    const button = document.getElementById('theme');
    if (button !== null) {
      button.hidden = false;
      button.dataset['choice'] = chosen();
      button.title = `Colours: ${chosen()}`;
      button.setAttribute('aria-label', button.title);
    }
    document.dispatchEvent(new Event('theme'));
  };

  choose(stored());
  addEventListener('storage', ({ key, newValue }) => key === KEY && choose(newValue));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => choose(stored() ?? chosen()));
  document.addEventListener('DOMContentLoaded', () => {
    choose(chosen());
    document.getElementById('theme')?.addEventListener('click', () => {
      const next = choices[(choices.indexOf(chosen()) + 1) % choices.length]!;
      stored(next);
      choose(next);
    });
    // Links to pages say which one is shown.
    const here = location.pathname.replace(/(.)\/$/, '$1');
    for (const link of document.querySelectorAll<HTMLAnchorElement>('#pages a'))
      if (new URL(link.href).pathname.replace(/(.)\/$/, '$1') === here) link.setAttribute('aria-current', 'page');
  });
}
