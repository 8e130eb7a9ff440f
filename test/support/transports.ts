// The transports that run here. uWebSockets.js needs a C library that Debian 12 does not have; `.ci/uws` tries it with a newer one.
import type { TransportPreference } from '../../push/transport/open-transport.ts';
import { loadUws } from '../../push/transport/uws-native.ts';

export const transports: readonly TransportPreference[] = 'module' in loadUws() ? ['uws', 'ws'] : ['ws'];
