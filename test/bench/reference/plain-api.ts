// The reference for HTTP: a fastify application that serves aircraft from a Map and makes every answer when it is asked for.
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Compressor, Encoding } from '../../../pipeline/view/compress.ts';
import { aircraftObject } from '../../../pipeline/view/plain.ts';
import type { AircraftState } from '../../../schemas/avro/aircraft-state.ts';

/** The same two routes and the same envelope; compression at the levels of ours, but for every request anew. */
export function createPlainApi(
  states: readonly AircraftState[],
  nowMs: number,
  compressors: ReadonlyMap<Encoding, Compressor>,
): FastifyInstance {
  const aircraft = new Map(states.map((state) => [state.hex, aircraftObject(state, nowMs, 'native')]));
  const answer = (ac: readonly object[]): object => {
    const now = nowMs / 1000;
    return { now, messages: 0, total: ac.length, ctime: now, ptime: now, ac };
  };
  const app = fastify();
  app.get<{ Params: { hex: string } }>('/v2/hex/:hex', (request, reply) => {
    const found = aircraft.get(request.params.hex.toLowerCase());
    reply.send(answer(found === undefined ? [] : [found]));
  });
  app.get('/v2/all', async (request, reply): Promise<FastifyReply> => {
    const body = JSON.stringify(answer([...aircraft.values()]));
    reply.type('application/json; charset=utf-8');
    const accepted = request.headers['accept-encoding'] as Encoding | undefined;
    const compress = accepted === undefined ? undefined : compressors.get(accepted);
    if (accepted === undefined || compress === undefined) return reply.send(body);
    return reply.header('content-encoding', accepted).send(await compress(Buffer.from(body)));
  });
  return app;
}
