// The push service as a process. Each has the complete view and streams of its own: a client that resumes at another one begins with a new `full`.
import { readSecretFile } from '../../pipeline/runtime/installation-secret.ts';
import { notFresh } from '../../query-api/queries/freshness.ts';
import { limits } from '../../schemas/limits/index.ts';
import { fittingConnections } from '../services/options/connection-limits.ts';
import { outputConnectionsMax } from '../services/options/output-options.ts';
import { startOutputs } from '../services/ways-in/outputs-service.ts';
import { startPush } from '../services/ways-in/push-service.ts';
import { openReadModel } from '../services/ways-in/read-model.ts';
import { openClusterAccess, watchSilence } from './cluster-access.ts';
import type { ServiceDefinition } from './service-process.ts';

export const pushDefinition: ServiceDefinition<'push'> = {
  name: 'push',
  async start({ options, logger, registry, readiness, closers, openCluster }) {
    const secret = readSecretFile(options.secretFile!);
    const { log, codecs } = await openCluster();
    const context = { secret, log, codecs, registry, logger, readiness };
    const { access, line, failed } = await openClusterAccess(options, context, closers);
    watchSilence(readiness, log);
    const model = await openReadModel(
      { log, codecs, registry, logger, readiness, site: null, referenceFolder: options.reference, hasTracks: false },
      closers,
    );
    readiness.require('view', () => (model.view.isReady() ? (notFresh(model)?.message ?? null) : 'the view is still reading the log'));
    const addresses = { sbs: options.sbs, beastOut: options.beastOut };
    const others = limits.operationConnectionsMax + outputConnectionsMax(addresses);
    const push = await startPush(
      model,
      {
        ...{ registry, logger, access },
        values: options,
        socketsMax: fittingConnections({ http: options.pushConnections }, logger, others).http,
        hop: options.pushSecret,
      },
      closers,
    );
    const outputs = await startOutputs(addresses, { view: model.view, log, codecs, registry, logger }, closers);
    const shown = { push: push.address, sbs: outputs.sbs, beastOut: outputs.beastOut };
    const listening = Object.entries(shown).filter(([, address]) => address !== null);
    logger.info(
      { ...Object.fromEntries(listening.map(([name, at]) => [name, String(at)])), transport: push.transport, access: line },
      'listening',
    );
    return { ended: Promise.race([model.ended, outputs.failed, failed]) };
  },
};
