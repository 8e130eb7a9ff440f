// The state of a client: applies the frames of the JSON profiles, and those that the decoder makes of binary frames, to aircraft by hex. For browsers
// and Node, without imports.

export type Aircraft = Record<string, unknown> & { readonly hex: string };

/** A frame with aircraft; `stream` is absent in the default profile, which has one stream. */
export interface AircraftFrame {
  readonly type: string;
  readonly stream?: string;
  readonly seq?: number;
  readonly now?: number;
  readonly ac?: readonly Aircraft[];
  readonly new?: readonly Aircraft[];
  readonly update?: readonly Aircraft[];
  readonly remove?: readonly string[];
}

/**
 * `applied`: the model shows the frame. `repeated`: it showed a newer one already. `missed`: frames before it are missing, see `resume`. `other`: no
 * frame with aircraft.
 */
export type Applied = 'applied' | 'repeated' | 'missed' | 'other';

export interface StreamState {
  seq: number;
  /** Seconds since the Unix epoch. */
  now: number;
  readonly aircraft: Map<string, Aircraft>;
  /** For each aircraft the `now` at which its `seen` and `seen_pos` hold. */
  readonly updated: Map<string, number>;
}

/** The streams of one client. */
export class AircraftStreams {
  readonly streams = new Map<string, StreamState>();

  apply(frame: AircraftFrame): Applied {
    const { type, stream = '', seq, now } = frame;
    if ((type !== 'full' && type !== 'delta') || seq === undefined || now === undefined) return 'other';
    if (type === 'full') {
      const state: StreamState = { seq, now, aircraft: new Map(), updated: new Map() };
      for (const aircraft of frame.ac ?? []) put(state, { ...aircraft });
      this.streams.set(stream, state);
      return 'applied';
    }
    const state = this.streams.get(stream);
    if (state === undefined || seq > state.seq + 1) return 'missed';
    if (seq <= state.seq) return 'repeated';
    [state.seq, state.now] = [seq, now];
    for (const hex of frame.remove ?? []) {
      state.aircraft.delete(hex);
      state.updated.delete(hex);
    }
    for (const aircraft of frame.new ?? []) put(state, { ...aircraft });
    for (const change of frame.update ?? []) put(state, merged(state.aircraft.get(change.hex), change));
    return 'applied';
  }

  /** The message that asks for the missing frames of a stream; null when only a new full helps. */
  resume(stream: string): { type: 'resume'; stream: string; seq: number } | null {
    const state = this.streams.get(stream);
    return state === undefined ? null : { type: 'resume', stream, seq: state.seq };
  }

  /** Forgets a stream that the client left. */
  forget(stream: string): void {
    this.streams.delete(stream);
  }
}

function put(state: StreamState, aircraft: Aircraft): void {
  state.aircraft.set(aircraft.hex, aircraft);
  state.updated.set(aircraft.hex, state.now);
}

/** Members that are null are removed. */
function merged(aircraft: Aircraft | undefined, change: Aircraft): Aircraft {
  const all: Aircraft = { ...aircraft, ...change };
  for (const name of Object.keys(change)) if (change[name] === null) delete all[name];
  return all;
}
