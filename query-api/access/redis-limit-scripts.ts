// Steps in Redis that must not be interrupted by other processes. Redis runs a script as one command.

/**
 * Keys: callers of a kind by the time they were seen last; when their trials began; bytes of a caller today. Arguments: the caller's hash, now,
 * how long a caller must be unseen to be new (ms), how many callers are known at most, and when a new caller's trial began.
 * Returns the begin of the trial, null for a new caller that is one too many; and the bytes.
 */
export const VISIT_SCRIPT = `
local now, again = tonumber(ARGV[2]), tonumber(ARGV[3])
local seen = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not seen then
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - again, 'LIMIT', 0, 2)) do
    redis.call('ZREM', KEYS[1], old)
    redis.call('HDEL', KEYS[2], old)
  end
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
    return {false, redis.call('GET', KEYS[3])}
  end
end
if not seen or now - tonumber(seen) >= again then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[5])
end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], again)
redis.call('PEXPIRE', KEYS[2], again)
return {redis.call('HGET', KEYS[2], ARGV[1]), redis.call('GET', KEYS[3])}
`;

/**
 * Key: a caller's sockets by the end of their leases. Arguments: id of the socket, now, length of a lease (ms), sockets of the caller at most.
 * Returns 1, or 0 if it has as many others.
 */
export const LEASE_SCRIPT = `
local now, length = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
  return 0
end
redis.call('ZADD', KEYS[1], now + length, ARGV[1])
redis.call('PEXPIRE', KEYS[1], length)
return 1
`;
