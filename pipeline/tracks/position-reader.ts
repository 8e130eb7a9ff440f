// Reads the positions of a record from its Avro bytes, without an object for each: ten thousand come each second.
import { ABSENT } from '../../schemas/absent.ts';
import { type PositionBatch, positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { AvroReader } from '../avro/reader.ts';
import { avroType } from '../log/avro.ts';
import { hexKeyBefore } from '../view/hex-key.ts';
import { ON_GROUND, Points } from './points.ts';

export interface PositionCodec {
  bodyStart(value: Uint8Array): number;
  decode(value: Uint8Array): PositionBatch;
}

/** Takes one position: `hexKey` of its aircraft, and the columns in which it is point 0. */
export type TakePosition = (key: number, position: Points) => void;

const US_PER_MS = 1000;
const TIME = 0;
const OTHER = 1;
const batchType = avroType(positionBatchSchema);

export class PositionReader {
  private readonly codec: PositionCodec;
  private readonly reader = new AvroReader();
  private readonly position = new Points(1);
  private readonly longs = new Float64Array(2);

  constructor(codec: PositionCodec) {
    this.codec = codec;
  }

  /** Calls `take` for each position of a record. False when the record is malformed; positions before the fault are taken. */
  read(value: Uint8Array, take: TakePosition): boolean {
    const body = this.codec.bodyStart(value);
    if (body >= 0) return this.readBody(value, body, take);
    try {
      // Another version of the schema.
      return this.readBody(batchType.toBuffer(this.codec.decode(value)), 0, take);
    } catch {
      return false;
    }
  }

  private readBody(bytes: Uint8Array, from: number, take: TakePosition): boolean {
    const { reader, longs } = this;
    reader.start(bytes, from);
    reader.long(longs, OTHER);
    // An array is a sequence of blocks, each with its count; a negative count is followed by the block's bytes.
    for (;;) {
      reader.long(longs, OTHER);
      let count = longs[OTHER]!;
      if (reader.hasFailed()) return false;
      if (count === 0) return reader.isWhole();
      if (count < 0) {
        count = -count;
        reader.long(longs, OTHER);
      }
      for (let i = 0; i < count; i += 1) {
        const key = this.row();
        if (reader.hasFailed()) return false;
        if (key >= 0) take(key, this.position);
      }
    }
  }

  /** Reads one row; −1 when its hex is invalid. */
  private row(): number {
    const { reader, position, longs } = this;
    const length = reader.skip();
    const key = hexKeyBefore(reader.bytes, reader.at, length);
    reader.long(longs, TIME);
    position.timeMs[0] = Math.floor(longs[TIME]! / US_PER_MS);
    position.latitudeMicrodeg[0] = reader.int();
    position.longitudeMicrodeg[0] = reader.int();
    position.flags[0] = reader.boolean() ? ON_GROUND : 0;
    position.altitudeBaroFt[0] = this.nullable();
    position.altitudeGeomFt[0] = this.nullable();
    position.groundSpeedDeciKt[0] = this.nullable();
    position.trackCentideg[0] = this.nullable();
    position.baroRateFpm[0] = this.nullable();
    position.source[0] = reader.int();
    // nic, rcM, frameOffset, frameIndex
    reader.int();
    reader.int();
    reader.long(longs, OTHER);
    reader.int();
    // callsign, squawk, rssiDeciDbfs
    if (reader.isPresent()) reader.skip();
    this.nullable();
    position.signalDeciDbfs[0] = this.nullable();
    return key;
  }

  private nullable(): number {
    return this.reader.isPresent() ? this.reader.int() : ABSENT;
  }
}
