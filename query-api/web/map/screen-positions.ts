// Where each aircraft of a picture is on the screen at a time: the same sum as in the vertex shader, for labels, picking and marks.
import { BYTES, offsets, type Picture } from '../sky/picture.ts';
import { limitsS } from './aircraft-layer.ts';
import type { Camera } from './camera.ts';

/** Aircraft so far outside of the screen still have a label in it. */
const MARGIN = 40;

export class ScreenPositions {
  /** Numbers of those on the screen. */
  inView: number[] = [];
  readonly picture: Picture;
  private readonly floats: Float32Array;
  private readonly bytes: Uint8Array;
  private readonly xy: Float64Array;
  private readonly screen: Float32Array;
  private readonly reckonedS: number;

  constructor(picture: Picture) {
    this.picture = picture;
    this.floats = new Float32Array(picture.instances);
    this.bytes = new Uint8Array(picture.instances);
    this.xy = new Float64Array(2 * picture.count);
    this.screen = new Float32Array(2 * picture.count);
    this.reckonedS = limitsS(picture.clock).reckoned;
  }

  /** Computes all positions for a camera at a time. */
  locate(camera: Camera, nowMs: number): void {
    this.inView = [];
    for (let i = 0; i < this.picture.count; i += 1) {
      this.locateOne(i, camera, nowMs);
      const [x, y] = [this.screen[2 * i]!, this.screen[2 * i + 1]!];
      if (x > -MARGIN && x < camera.width + MARGIN && y > -MARGIN && y < camera.height + MARGIN) this.inView.push(i);
    }
  }

  /** Computes one position, for what has to meet its aircraft in each frame. */
  locateOne(i: number, camera: Camera, nowMs: number): void {
    const { floats, xy, screen } = this;
    const at = (i * BYTES) / 4;
    const seconds = (nowMs - this.picture.nowMs) / 1000 - floats[at + offsets.time / 4]!;
    const age = Math.min(Math.max(seconds, 0), this.reckonedS);
    xy[2 * i] = floats[at]! + floats[at + 2]! + floats[at + offsets.velocity / 4]! * age;
    xy[2 * i + 1] = floats[at + 1]! + floats[at + 3]! + floats[at + offsets.velocity / 4 + 1]! * age;
    const [x, y] = camera.screenOf(xy[2 * i]!, xy[2 * i + 1]!);
    screen[2 * i] = x;
    screen[2 * i + 1] = y;
  }

  /** Number of the nearest aircraft within some pixels; null without one. */
  nearest(x: number, y: number, within: number): number | null {
    let [best, least] = [null as number | null, within * within];
    for (const i of this.inView) {
      const square = (this.screen[2 * i]! - x) ** 2 + (this.screen[2 * i + 1]! - y) ** 2;
      if (square <= least) [best, least] = [i, square];
    }
    return best;
  }

  /** Pixels per second of the fastest, to know when something moves. */
  fastestPixels(camera: Camera): number {
    let square = 0;
    for (const i of this.inView) {
      const at = (i * BYTES + offsets.velocity) / 4;
      square = Math.max(square, this.floats[at]! ** 2 + this.floats[at + 1]! ** 2);
    }
    return Math.sqrt(square) * camera.worldPixels * this.picture.clock.pace;
  }

  /** Number of an aircraft; -1 if it is not in the picture. */
  numberOf(key: number): number {
    return this.picture.keys.indexOf(key);
  }

  flags(number: number): number {
    return this.bytes[number * BYTES + offsets.flags]!;
  }
  screenX(number: number): number {
    return this.screen[2 * number]!;
  }
  screenY(number: number): number {
    return this.screen[2 * number + 1]!;
  }
  /** In Web Mercator. */
  point(number: number): { readonly x: number; readonly y: number } {
    return { x: this.xy[2 * number]!, y: this.xy[2 * number + 1]! };
  }
}
