// Value of `adsb.positions.v1`: the positions that one partition's fold accepted in one tick, in order of acceptance.
import { type PositionField, type PositionRow, positionFields } from '../position-fields.ts';

export type { PositionRow };

export interface PositionBatch {
  /** The tick that closed this batch, ms since the Unix epoch; a multiple of the tick length. */
  tickMs: number;
  rows: PositionRow[];
}

export const positionBatchSchema = {
  type: 'record',
  name: 'PositionBatch',
  namespace: 'squitter.v1',
  doc: 'Positions accepted by the fold of one partition in one tick. (frameOffset, frameIndex) never repeats and never goes back.',
  fields: [
    { name: 'tickMs', type: 'long' },
    { name: 'rows', type: { type: 'array', items: { type: 'record', name: 'PositionRow', fields: positionFields.map(avroField) } } },
  ],
} as const;

function avroField({ name, type, isOptional, isAdded, doc }: PositionField): object {
  return {
    name,
    type: isOptional ? ['null', type] : type,
    ...(isAdded ? { default: null } : {}),
    ...(doc === undefined ? {} : { doc }),
  };
}
