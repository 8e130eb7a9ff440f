// Ids of feeders and receivers as they are written: keyed hashes, never the UUID or the address itself. A UUID proves who owns the feeder.
import type { InstallationSecret } from '../runtime/installation-secret.ts';
import { isPrivateAddress, principalAddress } from '../runtime/plain-address.ts';

const RECEIVER_DIGITS = 8;

export class FeederIds {
  private readonly secret: InstallationSecret;

  constructor(secret: InstallationSecret) {
    this.secret = secret;
  }

  /** Id of a feeder that sent this UUID, in lower case. */
  ofUuid(uuid: string): string {
    return this.secret.hashOf('feeder', uuid.replaceAll('-', ''));
  }

  /** Id of a feeder without a UUID. */
  ofAddress(address: string): string {
    return this.secret.hashOf('address', principalAddress(address));
  }

  /** Id of a feed that we pull and that sends no UUID. */
  ofFeed(hostAndPort: string): string {
    return this.secret.hashOf('feed', hostAndPort);
  }

  /** The hash by which callers from this address are recognized; null for an address that many hosts may have. */
  addressHash(address: string): string | null {
    return isPrivateAddress(address) ? null : this.ofAddress(address);
  }

  /** Id of a receiver whose frames a feeder or a source of our own passes on; `receiver` has 16 hex digits, dashes do not count. */
  passedOn(feeder: string, receiver: string): string {
    return `${feeder}-${this.secret.hashOf('receiver', `${feeder}${receiver.replaceAll('-', '')}`).slice(0, RECEIVER_DIGITS)}`;
  }
}
