// Files of the page of the map besides aircraft: settings of the operator, airports and runways of the reference data, and layers.
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { SquitterError } from '../../../schemas/errors.ts';
import { airportSizes, airportsText, runwaysText } from '../../queries/maps/page-data.ts';
import type { ApiContext } from '../context.ts';
import { type Content, JSON_TYPE, sendContent } from '../responses/content.ts';

type Find = (parameters: Readonly<Record<string, string>>) => Promise<Content> | Content;

export function mapPageRoutes(app: FastifyInstance, context: ApiContext): void {
  const route = (path: string, find: Find): void => {
    app.get(path, { schema: { summary: `The map: ${path}`, hide: true, cost: 'none' } }, async (request, reply) =>
      sendContent(context, request, reply, await find(request.params as Record<string, string>)),
    );
  };
  const { map, maps, history, reference } = context;
  route('/map/settings.json', async () => {
    // The first search of a process makes its index, a tenth of a second: before somebody types.
    setImmediate(() => reference.search('', 0));
    const layers = ((await map.layers?.list()) ?? []).map(({ name, title, style }) => ({ name, title, style }));
    return textContent(JSON.stringify({ tiles: map.tiles, receiver: maps.site, hasHistory: history.isKept, layers }));
  });
  for (const size of airportSizes)
    route(
      `/map/airports-${size}.json`,
      ofReference(context, () => airportsText(reference, size)),
    );
  route(
    '/map/runways.json',
    ofReference(context, () => runwaysText(reference)),
  );
  route('/map/layers/:name.geojson', async ({ name }) => {
    const layer = (await map.layers?.list())?.find((each) => each.name === name);
    if (layer === undefined) throw new SquitterError('api.not_found', { path: `layer ${name}` });
    return { kind: 'page', type: JSON_TYPE, body: () => layer.bytes(), byteLength: layer.byteLength, tag: layer.tag };
  });
}

/** A text that is made once for each state of the reference data, and compressed once. */
function ofReference({ reference }: ApiContext, make: () => string): Find {
  let made: { readonly version: number; readonly content: Content } | null = null;
  return () => {
    if (made?.version !== reference.version) made = { version: reference.version, content: { ...textContent(make()), packed: new Map() } };
    return made.content;
  };
}

function textContent(text: string): Content {
  const body = Buffer.from(text);
  return { kind: 'page', type: JSON_TYPE, body, tag: createHash('sha256').update(body).digest('base64url').slice(0, 16) };
}
