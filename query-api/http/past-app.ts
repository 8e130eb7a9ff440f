// The aircraft lists and airport boards alone, over the sky of a moment: what folds the past gives its responses with the code of the live lists. It does not listen.
import { type FastifyInstance, fastify } from 'fastify';
import { plainCaller } from '../access/caller.ts';
import { QueryError } from '../queries/errors.ts';
import { type FlightAt, MomentFlights } from '../queries/moment-flights.ts';
import type { PastList } from '../queries/past.ts';
import type { ReadModel } from '../queries/read-model.ts';
import { HttpGuard } from './connections/http-guard.ts';
import { apiContext } from './context.ts';
import { toKnown } from './errors/error-responses.ts';
import { aircraftLists, listRoutes } from './routes/aircraft-lists.ts';
import { airportRoutes } from './routes/airport.ts';
import { aircraftSchema } from './schemas/aircraft.ts';
import { flightSchemas } from './schemas/flight.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { routing } from './validation/routing.ts';
import { checkWrittenValues } from './validation/written-values.ts';

/** An error of a list, for another thread. */
export interface RefusedList {
  readonly code: QueryError['code'];
  readonly details: QueryError['details'];
  readonly parameters: QueryError['parameters'];
  readonly retryAfterS: number | null;
}

const REFUSED = 500;

export class PastApp {
  private readonly app: FastifyInstance;
  private readonly model: ReadModel;
  private readonly flights: MomentFlights;

  /** `isStored`: the model's aircraft are stored positions. */
  constructor(model: ReadModel, isStored = false) {
    this.model = model;
    this.flights = new MomentFlights(model.flights.airports);
    this.app = fastify(routing);
    const context = apiContext({ ...model, flights: this.flights }, { guard: new HttpGuard(), isStored });
    this.app.setSerializerCompiler(() => JSON.stringify);
    for (const schema of [aircraftSchema, ...flightSchemas]) this.app.addSchema(schema);
    checkWrittenValues(this.app);
    this.app.decorateRequest('caller');
    this.app.decorateRequest('bodyBytes', 0);
    this.app.addHook('onRequest', (request, _reply, done) => {
      request.caller = plainCaller(request.ip);
      done();
    });
    this.app.setErrorHandler((error, request, reply) => {
      const known = toKnown(error, request);
      const { code, details } = known;
      const { parameters, retryAfterS } = known instanceof QueryError ? known : { parameters: [], retryAfterS: null };
      return reply.code(REFUSED).send({ code, details, parameters, retryAfterS } satisfies RefusedList);
    });
    listRoutes(
      this.app,
      context,
      aircraftLists.filter(({ hasPast }) => hasPast === true),
    );
    snapshotRoutes(this.app, context, airportRoutes);
  }

  /** The list `url` of the model's current snapshot, an airport's board with these flights, or why there is none. One call at a time. */
  async list(url: string, flights: readonly FlightAt[] = []): Promise<PastList | RefusedList> {
    const hide = this.flights.show(this.model.view.current()!, flights);
    const response = await this.app.inject({ method: 'GET', url }).finally(hide);
    if (response.statusCode === REFUSED) return response.json<RefusedList>();
    if (response.statusCode !== 200) throw new Error(`a list of the past has status ${response.statusCode}: ${url}`);
    const contentType = String(response.headers['content-type']);
    return { nowMs: this.model.view.current()!.times.nowMs, contentType, body: response.rawPayload };
  }

  close(): Promise<void> {
    return this.app.close();
  }
}
