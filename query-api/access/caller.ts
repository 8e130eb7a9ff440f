// Who asks: the principal that limits count by and its tier. Every way in - HTTP, push, gRPC, the tool server - finds the caller here, from an
// address and headers; keys and tiers come with the access issue.

/** What a caller may do, the least first. */
export const tiers = ['anonymous', 'trial', 'free', 'contributor'] as const;
export type Tier = (typeof tiers)[number];

export interface Caller {
  readonly tier: Tier;
  /** What limits count by: an address, later a feeder or a key. */
  readonly principal: string;
}

/** Headers, or metadata of another protocol, by their names in lower case. */
export type CallerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Finds the caller behind a request or a connection. `address` is its IP address. What it throws is the response. */
export type IdentifyCaller = (address: string, headers: CallerHeaders) => Caller;

/** Everybody is anonymous, told apart by address. */
export const identifyByAddress: IdentifyCaller = (address) => ({ tier: 'anonymous', principal: address });
