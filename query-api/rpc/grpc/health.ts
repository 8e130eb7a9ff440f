// grpc.health.v1: follows the readiness of the service, as `/readyz` does.
import { EventEmitter, once } from 'node:events';
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { limits } from '../../../schemas/limits.ts';
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
  private readonly checking: NodeJS.Timeout;
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private isReady = false;
  private isStopped = false;

  constructor(whyNotReady: () => string | null) {
    this.whyNotReady = whyNotReady;
    this.check();
    this.checking = setInterval(() => this.check(), limits.grpcHealthCheckMs).unref();
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

  /** Looks whether the status changed. */
  check(): void {
    const isReady = !this.isStopped && this.whyNotReady() === null;
    if (isReady === this.isReady) return;
    this.isReady = isReady;
    this.changes.emit('change');
  }

  /** The server stops: clients go to another one. Ends all streams. */
  stop(): void {
    clearInterval(this.checking);
    this.isStopped = true;
    this.isReady = false;
    this.changes.emit('change');
  }

  private statusOf(service: string): HealthCheckResponse_ServingStatus {
    if (!NAMES.includes(service)) return SERVICE_UNKNOWN;
    return this.isReady ? SERVING : NOT_SERVING;
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
      if (this.isStopped) return;
      if (status === this.statusOf(service)) await once(this.changes, 'change', { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
