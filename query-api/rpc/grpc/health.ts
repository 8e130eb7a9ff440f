// grpc.health.v1: follows the readiness of the service, as `/readyz` does.
import { HealthImplementation, type ServingStatus } from 'grpc-health-check';
import { limits } from '../../../schemas/limits.ts';

const pathOf = (method: string): string => `/grpc.health.v1.Health/${method}`;
export const healthPaths = ['Check', 'List'].map(pathOf);
export const healthWatchPath = pathOf('Watch');

/** `''` is the whole server. */
const NAMES = ['', 'v1.AircraftService'];

export class Health {
  readonly service = new HealthImplementation();
  private readonly whyNotReady: () => string | null;
  private readonly checking: NodeJS.Timeout;
  private status: ServingStatus | null = null;

  constructor(whyNotReady: () => string | null) {
    this.whyNotReady = whyNotReady;
    this.check();
    this.checking = setInterval(() => this.check(), limits.grpcHealthCheckMs);
    this.checking.unref();
  }

  /** Looks whether the status changed. */
  check(): void {
    this.set(this.whyNotReady() === null ? 'SERVING' : 'NOT_SERVING');
  }

  /** The server stops: clients go to another one. */
  stop(): void {
    clearInterval(this.checking);
    this.set('NOT_SERVING');
  }

  private set(status: ServingStatus): void {
    if (status === this.status) return;
    this.status = status;
    for (const name of NAMES) this.service.setStatus(name, status);
  }
}
