// Callers: the principal that limits count by, and its tier. Every protocol - HTTP, push, gRPC, the tool server - finds the caller here, from an
// address and headers; keys and tiers come with the access issue.

/** What a caller may do, least first. */
export const tiers = ['anonymous', 'trial', 'free', 'contributor'] as const;
export type Tier = (typeof tiers)[number];

export interface Caller {
  readonly tier: Tier;
  /** Unit of limits: an address, later a feeder or a key. */
  readonly principal: string;
}

/** Headers, or metadata of another protocol, by lower-case name. */
export type CallerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Finds the caller of a request or a connection. `address` is its IP address. A thrown error is the response. */
export type IdentifyCaller = (address: string, headers: CallerHeaders) => Caller;

/** Every caller is anonymous, distinguished by address. */
export const identifyByAddress: IdentifyCaller = (address) => ({ tier: 'anonymous', principal: address });
