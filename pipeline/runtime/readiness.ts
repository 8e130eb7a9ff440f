// Why a service is not ready: each part registers a named check, and `/readyz` asks them all. A warning is shown there and refuses nothing.

/** What is wrong, in words; null where nothing is. Cheap: it is asked at every request for readiness. */
export type Check = () => string | null;

export class Readiness {
  private readonly checks = new Map<string, Check>();
  private readonly notices = new Map<string, Check>();

  /** The service is not ready while `check` gives a reason. A name is given once. */
  require(name: string, check: Check): this {
    return this.put(this.checks, name, check);
  }

  /** What `check` gives is shown beside readiness. */
  warn(name: string, check: Check): this {
    return this.put(this.notices, name, check);
  }

  /** Reasons why the service is not ready, in words; none when it is. */
  reasons(): string[] {
    return spoken(this.checks);
  }

  /** What is worth saying and refuses nothing. */
  warnings(): string[] {
    return spoken(this.notices);
  }

  private put(checks: Map<string, Check>, name: string, check: Check): this {
    if (checks.has(name)) throw new Error(`there are two checks named ${name}`);
    checks.set(name, check);
    return this;
  }
}

function spoken(checks: ReadonlyMap<string, Check>): string[] {
  return [...checks.values()].map((check) => check()).filter((reason) => reason !== null);
}
