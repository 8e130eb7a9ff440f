// `/v2/me`: what the caller may do here and why, and how much of it is left. It costs nothing, so that it can be asked first.
import type { FastifyInstance } from 'fastify';
import { tiers } from '../../../schemas/tiers.ts';
import type { CallerAccess } from '../../access/access.ts';
import { type Report, reasons } from '../../access/report.ts';
import type { ApiContext } from '../context.ts';
import { successHeaders } from '../headers/headers.ts';
import { JSON_TYPE, setHeaders } from '../responses/content.ts';
import { amount, flag, longAmount, object, part, schemaOf, text } from '../schemas/build.ts';

const S_MS = 1000;

const codes = Object.keys(reasons)
  .map((reason) => `\`${reason}\``)
  .join(', ');

const always = {
  tier: text('tier of the caller', { enum: [...tiers] }),
  reason: text(`why it has this tier. Today: ${codes}. More may be added`, { pattern: '^[a-z]+(-[a-z]+)*$' }),
  why: text('the same in words'),
  feeder: flag('true for the key of a feeder, and for the address of one'),
};

const schema = schemaOf({
  summary: 'What you may do, and how much of it is left',
  cost: 'none',
  description:
    'Tier and why, the time until the next request, the bytes of today, open streams, and the end of the trial. Costs nothing, with or without a key. Callers without limits have `tier` `anonymous` and no numbers.',
  query: {},
  response: object(
    {
      ...always,
      trial_end: amount('when the trial ends or ended, Unix s; absent for callers without one'),
      requests: part('REST, records and tools together; absent without limits', {
        interval: amount('time between two requests, s'),
        next: amount('time until the next request is accepted, s; 0: now'),
      }),
      bytes: part('what was sent today, compressed as it was, over all protocols; absent without limits', {
        used: longAmount('bytes sent since 00:00 UTC'),
        left: longAmount('bytes until requests are refused and streams end'),
        most: longAmount('bytes of a day'),
        reset: amount('time until 00:00 UTC, s'),
      }),
      sockets: part('streams and watches; absent without limits', {
        open: amount('number of them that are open'),
        most: amount('greatest number at a time'),
      }),
    },
    Object.keys(always),
  ),
});

export function meRoute(app: FastifyInstance, context: ApiContext, access: CallerAccess): void {
  app.get('/v2/me', { schema }, async (request, reply) => {
    const body = bodyOf(await access.report(request.caller));
    return setHeaders(reply, successHeaders(context, request, 'own'))
      .header('content-type', JSON_TYPE)
      .send(`${JSON.stringify(body)}\n`);
  });
}

function bodyOf({ caller, reason, hint, limits }: Report): object {
  const { tier, isFeeder: feeder, trialEndMs } = caller;
  return {
    ...{ tier, reason, why: `${reasons[reason]}${hint}`, feeder },
    ...(trialEndMs === null ? {} : { trial_end: Math.ceil(trialEndMs / S_MS) }),
    ...(limits === null ? {} : numbersOf(limits)),
  };
}

function numbersOf({ requestMs, waitMs, bytes, dayBytesMax, resetMs, sockets, socketsMax }: NonNullable<Report['limits']>): object {
  return {
    requests: { interval: requestMs / S_MS, next: Math.ceil(waitMs / S_MS) },
    bytes: { used: bytes, left: Math.max(0, dayBytesMax - bytes), most: dayBytesMax, reset: Math.ceil(resetMs / S_MS) },
    sockets: { open: sockets, most: socketsMax },
  };
}
