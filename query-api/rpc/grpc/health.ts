// grpc.health.v1: follows the readiness of the service, as `/readyz` does.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { untilAborted } from '../../../pipeline/runtime/waiting.ts';
import { limits } from '../../../schemas/limits/index.ts';
import {
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus,
  Health as HealthService,
} from '../../../schemas/proto/grpc/health/v1/health_pb.ts';
import { AircraftService } from '../../../schemas/proto/v1/aircraft_pb.ts';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
/** `''` is the whole server. */
const NAMES = ['', AircraftService.typeName];

export class Health {
  private readonly whyNotReady: () => string | null;
  private readonly stopped = new AbortController();

  constructor(whyNotReady: () => string | null) {
    this.whyNotReady = whyNotReady;
    setMaxListeners(0, this.stopped.signal);
  }

  addTo(router: ConnectRouter): void {
    router.service(HealthService, {
      check: ({ service }) => {
        const status = this.statusOf(service);
        if (status === SERVICE_UNKNOWN) throw new ConnectError(`there is no service ${service}`, Code.NotFound);
        return { status };
      },
      list: () => ({ statuses: Object.fromEntries(NAMES.map((name) => [name, { status: this.statusOf(name) }])) }),
      watch: (request, context) => this.watch(request, context),
    });
  }

  /** The server stops: clients go to another one. Ends all streams. */
  stop(): void {
    this.stopped.abort();
  }

  private statusOf(service: string): HealthCheckResponse_ServingStatus {
    if (!NAMES.includes(service)) return SERVICE_UNKNOWN;
    return !this.stopped.signal.aborted && this.whyNotReady() === null ? SERVING : NOT_SERVING;
  }

  private async *watch(
    { service }: HealthCheckRequest,
    { signal }: HandlerContext,
  ): AsyncGenerator<{ status: HealthCheckResponse_ServingStatus }> {
    let sent: HealthCheckResponse_ServingStatus | null = null;
    for (;;) {
      const status = this.statusOf(service);
      if (status !== sent) yield { status };
      sent = status;
      if (this.stopped.signal.aborted) return;
      const later = sleep(limits.grpcHealthCheckMs, null, { signal, ref: false });
      await untilAborted(later, this.stopped.signal, null).catch(() => signal.throwIfAborted());
    }
  }
}
