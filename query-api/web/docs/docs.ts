// The documentation of the API: Scalar over /openapi.json. It reaches nothing but this service: the page's policy allows no other address.
import { isDark, PAGE_HEADERS, serviceUrl } from '../page/parts.ts';

declare const Scalar: { createApiReference(selector: string, options: object): void };

/** The viewer reports a schema with `oneOf` as an error where no `type` stands beside it. */
function withType(_key: string, value: { oneOf?: { type?: string }[]; type?: unknown } | null): unknown {
  if (!Array.isArray(value?.oneOf) || value.type !== undefined) return value;
  const types = value.oneOf.map(({ type }) => type);
  return types.includes(undefined) ? value : { ...value, type: [...new Set(types)] };
}

function show(contract: string): void {
  Scalar.createApiReference('#api', {
    content: JSON.parse(contract, withType),
    layout: 'modern',
    theme: 'none',
    hideDarkModeToggle: true,
    forceDarkModeState: isDark() ? 'dark' : 'light',
    withDefaultFonts: false,
    documentDownloadType: 'both',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: {
      c: true,
      clojure: true,
      csharp: ['restsharp'],
      java: ['asynchttp', 'nethttp', 'unirest'],
      objc: true,
      ocaml: true,
      r: true,
    },
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    mcp: { disabled: true },
    agent: { disabled: true },
  });
}

document.addEventListener('theme', () => {
  document.body.classList.toggle('dark-mode', isDark());
  document.body.classList.toggle('light-mode', !isDark());
});
show(await (await fetch(serviceUrl('openapi.json'), { headers: PAGE_HEADERS })).text());
