// The caller hook: an address and headers, no request of any one protocol.
import { expect, test } from 'vitest';
import { createTestApi } from '../../test/support/live-view.ts';
import { unlimitedAccess } from './access.ts';
import { type CallerHeaders, plainCaller } from './caller.ts';

test('HTTP gives the hook the address and headers of each request, and shows the tier that it finds', async () => {
  const asked: [string, CallerHeaders][] = [];
  const { app } = await createTestApi(1, {
    access: {
      ...unlimitedAccess,
      identify(address, headers) {
        asked.push([address, headers]);
        return plainCaller(address, headers['x-key'] === 'good' ? 'contributor' : 'free');
      },
    },
  });
  const inject = async (headers: Record<string, string>, remoteAddress = '192.0.2.7') =>
    (await app.inject({ url: '/v2/all', headers, remoteAddress })).headers['x-service-tier'];
  // The form is that of the connection: `Access` makes one form of it.
  expect([await inject({ 'X-Key': 'good' }), await inject({}, '::ffff:192.0.2.7')]).toEqual(['contributor', 'free']);
  expect(asked.slice(-2).map(([address]) => address)).toEqual(['192.0.2.7', '::ffff:192.0.2.7']);
  await app.close();
});

test('bytes of what is free do not count for the day; those of all else do', async () => {
  const spent: number[] = [];
  const { app } = await createTestApi(1, {
    access: {
      ...unlimitedAccess,
      spend(_, bytes) {
        spent.push(bytes);
        return null;
      },
    },
  });
  // The stand asks for the contract first.
  spent.length = 0;
  for (const url of ['/bulk/', '/healthz', '/metrics', '/', '/data/receiver.json']) await app.inject({ url });
  expect(spent).toEqual([]);
  const { rawPayload } = await app.inject({ url: '/v2/all' });
  expect(spent).toEqual([rawPayload.length]);
  await app.close();
});
