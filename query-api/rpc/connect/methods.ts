// The unary methods of the record service: what a request message asks for, and the response as bytes or as an object.
import type { DescMethodUnary, MessageShape } from '@bufbuild/protobuf';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { AircraftService } from '../../../schemas/proto/v1/aircraft_pb.ts';
import type { Freshness } from '../../queries/freshness.ts';
import { getAircraft, nearbyAircraft, networkStats } from '../operations.ts';
import { RecordWriter } from '../record-bytes.ts';
import { aircraftRecord, listRecord, statsRecord } from '../record-objects.ts';

/** A response. Encode it at once: rows are valid until the next search. */
export interface UnaryResult {
  readonly snapshot: Snapshot;
  readonly bytes: () => Buffer;
  /** Proto JSON. */
  readonly record: () => Readonly<Record<string, unknown>>;
}

export interface UnaryMethod {
  readonly desc: DescMethodUnary;
  readonly path: string;
  /** Two responses of a snapshot differ, in the time of the response. */
  readonly isTimed: boolean;
  /** Errors: those of the operation. */
  call(input: unknown): UnaryResult;
}

/** The unary methods over a read model. */
export function unaryMethods(model: Freshness): readonly UnaryMethod[] {
  const writer = new RecordWriter();
  const { getAircraft: get, nearbyAircraft: nearby, networkStats: stats } = AircraftService.method;
  return [
    method(get, (input) => {
      const found = getAircraft(model, input);
      return { snapshot: found.snapshot, bytes: () => writer.aircraft(found), record: () => ({ ...aircraftRecord(found) }) };
    }),
    method(nearby, (input) => {
      const found = nearbyAircraft(model, input);
      return { snapshot: found.snapshot, bytes: () => writer.list(found), record: () => ({ ...listRecord(found) }) };
    }),
    method(
      stats,
      () => {
        const found = networkStats(model);
        return { snapshot: found.snapshot, bytes: () => writer.stats(found), record: () => statsRecord(found) };
      },
      true,
    ),
  ];
}

function method<Desc extends DescMethodUnary>(
  desc: Desc,
  call: (input: MessageShape<Desc['input']>) => UnaryResult,
  isTimed = false,
): UnaryMethod {
  return { desc, path: `/${desc.parent.typeName}/${desc.name}`, isTimed, call: (input) => call(input as MessageShape<Desc['input']>) };
}
