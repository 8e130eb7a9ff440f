// A GeoJSON file of the operator, with the style of the file; properties of a feature (simplestyle) come first.
import type { MapLayer, OperatorLayer } from '../map/map-page.ts';
import { FONT, namePaint } from '../map/sources.ts';
import { serviceUrl } from '../page/parts.ts';

const COLOUR = '#b0489b';

export function operatorLayer({ name, title, style }: OperatorLayer): MapLayer {
  const id = `file-${name}`;
  const { colour = COLOUR, width = 1.5, fill = colour, opacity = 0.12 } = style;
  const own = (member: string, fallback: string) => ['to-color', ['get', member], fallback];
  const number = (member: string, fallback: number) => ['to-number', ['coalesce', ['get', member], fallback], fallback];
  const layers = [
    {
      ...{ id: `${id}-areas`, type: 'fill', filter: ['==', ['geometry-type'], 'Polygon'] },
      paint: { 'fill-color': own('fill', fill), 'fill-opacity': number('fill-opacity', opacity) },
    },
    {
      ...{ id: `${id}-lines`, type: 'line', filter: ['!=', ['geometry-type'], 'Point'] },
      paint: { 'line-color': own('stroke', colour), 'line-width': number('stroke-width', width) },
    },
    {
      ...{ id: `${id}-points`, type: 'circle', filter: ['==', ['geometry-type'], 'Point'] },
      paint: { 'circle-color': own('marker-color', colour), 'circle-radius': 4 },
    },
    {
      ...{ id: `${id}-names`, type: 'symbol', minzoom: 6 },
      layout: {
        ...{ 'text-field': ['coalesce', ['get', 'title'], ['get', 'name'], ''], 'text-font': FONT, 'text-size': 10 },
        ...{ 'text-anchor': 'top', 'text-offset': [0, 0.5] },
      },
      paint: namePaint(colour),
    },
  ];
  return { name: id, title, drawings: [{ source: id, data: [[0, serviceUrl(`map/layers/${name}.geojson`).href]], layers }] };
}
