// Draws all aircraft with one call of WebGL2: a quad each, turned and moved by the vertex shader. Between pictures an aircraft moves on with its last velocity,
// on the graphics card alone.

import { CELLS, drawOutlines, pixels, spansM } from '../sky/outlines.ts';
import { BYTES, type Clock, offsets, type Picture } from '../sky/picture.ts';
import type { Camera } from './camera.ts';

/** Seconds after which a position is dead-reckoned, and after which it is stale and stays where it is. */
export const HEARD_S = 6;
export const RECKONED_S = 20;
/** They are seconds of people: played fast, many seconds of the data go by between two pictures. */
export const limitsS = ({ pace }: Clock) => ({ heard: HEARD_S * Math.max(1, pace), reckoned: RECKONED_S * Math.max(1, pace) });
const CELL_PIXELS = 64;
/** A quad is larger than the span: the edge and a margin. */
const QUAD = 1.12;

const VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec4 position;
layout(location=1) in vec2 velocity;
layout(location=2) in float time;
layout(location=3) in float track;
layout(location=4) in uvec2 kind;
layout(location=5) in vec4 colour;
uniform vec4 centre;
uniform vec2 viewport;
uniform float world, now, smaller, pixelRatio, heard, reckoned;
uniform float sizes[${CELLS}];
out vec2 cell;
flat out vec4 paint;
flat out vec3 state;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  float age = max(now - time, 0.0);
  vec2 delta = (position.xy - centre.xy) + (position.zw - centre.zw) + velocity * min(age, reckoned);
  delta.x -= round(delta.x);
  uint flag = kind.y;
  bool isStale = age > reckoned || (flag & 8u) != 0u;
  bool isLarge = (flag & 3u) != 0u;
  float size = sizes[kind.x] * (isLarge ? 1.3 : (flag & 4u) != 0u ? 0.75 : 1.0) * (isLarge ? max(smaller, 0.7) : smaller);
  float angle = (flag & 16u) != 0u ? 0.0 : track * 6.2831853;
  vec2 turned = mat2(cos(angle), sin(angle), -sin(angle), cos(angle)) * corner;
  vec2 at = delta * world + turned * size * 0.5;
  gl_Position = vec4(at / viewport * vec2(2.0, -2.0), isLarge ? 0.0 : 0.5, 1.0);
  cell = vec2((float(kind.x) + corner.x * 0.5 + 0.5) / float(${CELLS}), corner.y * 0.5 + 0.5);
  paint = colour;
  state = vec3(isStale ? 0.0 : age > heard ? 0.4 : 1.0, (flag & 1u) != 0u ? 1.0 : 0.0, isStale ? 0.55 : 1.0);
}`;
/** A heard position is filled, a dead-reckoned one pale, a stale one an outline. */
const FRAGMENT = `#version 300 es
precision mediump float;
uniform sampler2D outlines;
uniform vec4 edge, chosen;
in vec2 cell;
flat in vec4 paint;
flat in vec3 state;
out vec4 pixel;
void main() {
  vec2 mask = texture(outlines, cell).rg;
  vec3 line = state.y > 0.5 ? chosen.rgb : state.x > 0.5 ? edge.rgb : paint.rgb;
  float fill = mask.r * (1.0 - mask.g) * state.x;
  float stroke = mask.g;
  float alpha = (fill + stroke) * state.z;
  if (alpha < 0.02) discard;
  pixel = vec4((paint.rgb * fill + line * stroke) * state.z, alpha);
}`;
const UNIFORMS = ['centre', 'viewport', 'world', 'now', 'smaller', 'heard', 'reckoned', 'sizes', 'edge', 'chosen', 'outlines'] as const;

interface Resources {
  readonly gl: WebGL2RenderingContext;
  readonly buffer: WebGLBuffer;
  readonly at: Readonly<Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>>;
}

export class AircraftLayer {
  /** Draw calls, for tests and measurements. */
  drawCount = 0;
  isDark = false;
  /** False in a browser without WebGL2. */
  readonly canDraw: boolean;
  private readonly canvas: HTMLCanvasElement;
  private resources: Resources | null;
  private picture: Picture | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.resources = open(canvas);
    this.canDraw = this.resources !== null;
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.resources = null;
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.resources = open(canvas);
      if (this.picture !== null) this.show(this.picture);
    });
  }

  show(picture: Picture): void {
    this.picture = picture;
    if (this.resources === null) return;
    const { gl, buffer } = this.resources;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, picture.instances, gl.DYNAMIC_DRAW);
  }

  /** Draws what is at a time, ms since the Unix epoch. */
  draw(camera: Camera, nowMs: number): void {
    if (this.resources === null || this.picture === null) return;
    this.drawCount += 1;
    const { gl, at } = this.resources;
    const ratio = camera.resize(this.canvas);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [x, y] = [Math.fround(camera.x), Math.fround(camera.y)];
    gl.uniform4f(at.centre, x, y, camera.x - x, camera.y - y);
    gl.uniform2f(at.viewport, camera.width * ratio, camera.height * ratio);
    gl.uniform1f(at.world, camera.worldPixels * ratio);
    gl.uniform1f(at.now, (nowMs - this.picture.nowMs) / 1000);
    gl.uniform1f(at.smaller, camera.smaller);
    const { heard, reckoned } = limitsS(this.picture.clock);
    gl.uniform1f(at.heard, heard);
    gl.uniform1f(at.reckoned, reckoned);
    gl.uniform1fv(
      at.sizes,
      pixels.map((size, i) => Math.max(size, (spansM[i] ?? 0) * camera.pixelsPerMetre) * QUAD * ratio),
    );
    const edge = this.isDark ? 0.05 : 0.12;
    gl.uniform4f(at.edge, edge, edge, edge, 1);
    gl.uniform4f(at.chosen, this.isDark ? 1 : 0, this.isDark ? 1 : 0, this.isDark ? 1 : 0, 1);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.picture.count);
  }
}

function open(canvas: HTMLCanvasElement): Resources | null {
  const gl = canvas.getContext('webgl2', { antialias: false, depth: false, premultipliedAlpha: true });
  if (gl === null) return null;
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const attribute = (location: number, size: number, type: number, isNormalized: boolean, offset: number): void => {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, isNormalized, BYTES, offset);
    gl.vertexAttribDivisor(location, 1);
  };
  attribute(0, 4, gl.FLOAT, false, offsets.position);
  attribute(1, 2, gl.FLOAT, false, offsets.velocity);
  attribute(2, 1, gl.FLOAT, false, offsets.time);
  attribute(3, 1, gl.UNSIGNED_SHORT, true, offsets.track);
  attribute(5, 4, gl.UNSIGNED_BYTE, true, offsets.colour);
  gl.enableVertexAttribArray(4);
  gl.vertexAttribIPointer(4, 2, gl.UNSIGNED_BYTE, BYTES, offsets.shape);
  gl.vertexAttribDivisor(4, 1);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, drawOutlines(CELL_PIXELS));
  gl.generateMipmap(gl.TEXTURE_2D);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  const at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)])) as Resources['at'];
  return { gl, buffer, at };
}
