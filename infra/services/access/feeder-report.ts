// The report on a feeder for an operator: a plain object for scripts, one line of the list, a page for people.
import { isKnown } from '../../../pipeline/feeders/feeder.ts';
import type { FeederTable } from '../../../pipeline/feeders/feeder-table.ts';

/** Times are ISO 8601; null stands for never, unknown or none. */
export type FeederReport = NonNullable<ReturnType<typeof feederReport>>;

/** Null if nothing is known of it. */
export function feederReport(id: string, table: FeederTable, nowMs: number) {
  const feeder = table.byId(id);
  if (!isKnown(feeder)) return null;
  const { status, counts, claim, keys, ban, addressHash, contributorUntilMs } = feeder;
  const others = addressHash === null ? [] : table.idsAt(addressHash).filter((other) => other !== id);
  return {
    id,
    name: claim?.name ?? null,
    connected: nowMs < feeder.connectedUntilMs,
    connected_since: nowMs < feeder.connectedUntilMs ? timeText(status!.connectedMs) : null,
    last_seen: timeText(feeder.lastSeenMs),
    format: status?.format ?? null,
    /** Null: callers of this feeder have the tier that any caller has, trial or free. */
    tier: nowMs < contributorUntilMs ? 'contributor' : null,
    contributor_until: timeText(contributorUntilMs),
    /** Keyed hash of its newest address, and until when callers from there count as this feeder. */
    address_hash: addressHash,
    address_until: timeText(feeder.addressUntilMs),
    /** Since its connection began. */
    connection: status === null ? null : { frames: status.frames, bytes: status.bytes, garbage_bytes: status.garbageBytes },
    /** Since the log began; aircraft, ranges and signal of the last whole minute. */
    counts: {
      frames: counts.frames,
      messages: counts.messages,
      duplicates: counts.duplicates,
      positions: counts.positions,
      disagreements: counts.disagreements,
      clean_df17: counts.cleanDf17,
      aircraft: counts.aircraft,
      /** In 16 directions, north first, clockwise. */
      range_nm: counts.rangeNm,
      signal_dbfs: counts.signalDecidb === null ? null : counts.signalDecidb / 10,
      late_ms: counts.lateMs,
    },
    claim: claim === null ? null : { name: claim.name, show_range: claim.showRange, claimed_at: timeText(claim.claimedAtMs)! },
    /** Generations of its keys: the newest, until when the one before is valid, and below which all are revoked. */
    key:
      keys === null
        ? null
        : { generation: keys.generation, previous_until: timeText(keys.previousEndsMs), revoked_below: keys.revokedBelow },
    ban: ban === null ? null : { reason: ban.reason, since: timeText(ban.sinceMs)!, with_address: ban.addressHash !== null },
    /** Other feeders whose ban includes its address. */
    banned_with: others.filter((other) => table.byId(other)!.ban?.addressHash === addressHash),
  };
}

/** Null for 0, which stands for never. */
function timeText(timeMs: number): string | null {
  return timeMs === 0 ? null : new Date(timeMs).toISOString();
}

const DIRECTIONS = 'N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW'.split(' ');
const HEAD = ['ID', 'STATE', 'TIER', 'MESSAGES', 'AIRCRAFT', 'FARTHEST', 'LAST SEEN', 'NAME'];

/** A table, the feeder seen last first; a banned one says so in its state. */
export function listText(reports: readonly FeederReport[]): string {
  const sorted = [...reports].sort((a, b) => (b.last_seen ?? '').localeCompare(a.last_seen ?? ''));
  const rows = sorted.map((report) => {
    const { id, tier, counts, last_seen: lastSeen, name } = report;
    const farthest = Math.max(...counts.range_nm);
    const shown = [id, stateOf(report), tier ?? '-', String(counts.messages), String(counts.aircraft)];
    return [...shown, farthest === 0 ? '-' : `${farthest} nm`, shortTime(lastSeen), name ?? '-'];
  });
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]!.length)));
  return [HEAD, ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Everything, one line each. */
export function reportText(report: FeederReport): string {
  const { counts, claim, key, ban, connection } = report;
  const lines: (readonly [string, string])[] = [
    ['feeder', report.id],
    [
      'name',
      claim === null
        ? 'nobody has claimed it'
        : `${claim.name}, claimed ${shortTime(claim.claimed_at)}, range ${claim.show_range ? 'shown' : 'not shown'}`,
    ],
    ['state', `${stateOf(report)}, last seen ${shortTime(report.last_seen)}`],
    [
      'ban',
      ban === null
        ? 'none'
        : `${ban.reason}; since ${shortTime(ban.since)}, ${ban.with_address ? 'with its address' : 'without an address'}`,
    ],
  ];
  if (report.banned_with.length > 0) lines.push(['address', `banned with ${report.banned_with.join(', ')}`]);
  else if (report.address_hash === null) lines.push(['address', 'private or unknown: callers from there do not count as this feeder']);
  else
    lines.push(['address', `${report.address_hash} (keyed hash), callers from there count as it until ${shortTime(report.address_until)}`]);
  lines.push(
    [
      'tier',
      report.tier === null
        ? `that of any caller; contributor until ${shortTime(report.contributor_until)}`
        : `contributor until ${shortTime(report.contributor_until)}`,
    ],
    ['key', key === null ? 'none' : keyText(key)],
  );
  if (connection !== null) {
    const since = report.connected_since === null ? 'last connection' : `since ${shortTime(report.connected_since)}`;
    const { frames, bytes, garbage_bytes: garbage } = connection;
    lines.push([
      'connection',
      `${since}: ${frames} frames, ${bytes} bytes, ${garbage} of them garbage, ${report.format ?? 'unknown format'}`,
    ]);
  }
  const ranges = counts.range_nm.map((range, i) => `${DIRECTIONS[i]} ${range}`).filter((_, i) => counts.range_nm[i] !== 0);
  lines.push(
    ['counts', `${counts.frames} frames, ${counts.messages} messages, ${counts.duplicates} duplicates, ${counts.clean_df17} clean DF 17`],
    ['positions', `${counts.positions} accepted, ${counts.disagreements} contradicted by others, ${counts.late_ms} ms late`],
    [
      'last minute',
      `${counts.aircraft} aircraft, signal ${counts.signal_dbfs === null ? 'unknown' : `${counts.signal_dbfs.toFixed(1)} dBFS`}`,
    ],
    ['range, nm', ranges.length === 0 ? 'unknown' : ranges.join(', ')],
  );
  return lines.map(([what, text]) => `${what.padEnd(13)}${text}\n`).join('');
}

function stateOf({ ban, connected, banned_with: bannedWith }: FeederReport): string {
  if (ban !== null || bannedWith.length > 0) return 'banned';
  return connected ? 'connected' : 'gone';
}

function keyText({ generation, previous_until: until, revoked_below: revoked }: NonNullable<FeederReport['key']>): string {
  const older = revoked > 1 ? `, those below ${revoked} are revoked` : '';
  return `generation ${generation}${until === null ? '' : `, the one before until ${shortTime(until)}`}${older}`;
}

/** To the second, UTC. */
function shortTime(time: string | null): string {
  return time === null ? 'never' : time.replace(/\.\d+Z$/, 'Z');
}
