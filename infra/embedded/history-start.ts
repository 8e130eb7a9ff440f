// Starts the process of the history store, before the service has loaded what it asks the store with.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { historyFolder } from '../../pipeline/store/address-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { storeMemoryBytes } from '../history-store/shares.ts';
import { type StoreChild, startStoreChild } from '../history-store/store-child.ts';
import type { Closer } from '../services/closing.ts';
import type { StartValues } from './start-options.ts';

export interface StartingStore {
  readonly access: { readonly user: string; readonly password: string };
  /** Errors: those of `startStoreChild`. */
  readonly child: Promise<StoreChild>;
}

const MIB = 1024 ** 2;
const storeProcessFile = programFile('infra/history-store/store-process');

/** Null without history. Its closer is added at the front. */
export function beginStore(
  { data, noHistory, diskReserveMib }: Pick<StartValues, 'data' | 'noHistory' | 'diskReserveMib'>,
  logger: Logger,
  closers: Closer[],
): StartingStore | null {
  if (noHistory) return null;
  const access = { user: 'squitter', password: randomBytes(24).toString('base64url') };
  const child = startStoreChild({
    ...{ folder: historyFolder(data), ...access, processFile: storeProcessFile },
    // More than the log keeps free: the history stops first.
    diskReserveBytes: diskReserveMib === null ? null : 2 * diskReserveMib * MIB,
    keepsTrying: true,
    readers: limits.storeReaders,
    memoryBytesMax: storeMemoryBytes(),
    log: (level, fields, message) => logger[level](fields, message),
  });
  closers.unshift(() =>
    child.then(
      (started) => started.stop(),
      () => {},
    ),
  );
  return { access, child };
}
