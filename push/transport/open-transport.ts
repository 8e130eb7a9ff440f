// Chooses the adapter: uWebSockets.js where its native code loads, `ws` everywhere else.
import type { Transport, TransportEvents, TransportOptions } from './transport.ts';
import { loadUws } from './uws-native.ts';
import { openUwsTransport } from './uws-transport.ts';
import { openWsTransport } from './ws-transport.ts';

export type TransportPreference = 'uws' | 'ws';

/** `reason`: why it is not the preferred one; null if it is. Errors: `listen.port_in_use`, `listen.failed`. */
export async function openTransport(
  options: TransportOptions & { readonly prefer: TransportPreference },
  events: TransportEvents,
): Promise<{ readonly transport: Transport; readonly reason: string | null }> {
  const uws = options.prefer === 'uws' ? loadUws() : null;
  if (uws !== null && 'module' in uws) return { transport: await openUwsTransport(uws, options, events), reason: null };
  return { transport: await openWsTransport(options, events), reason: uws?.reason ?? null };
}
