// Readiness of a service: each part registers a named check, and `/readyz` runs all checks. Warnings are shown there and do not affect
// readiness.

/** A problem as text; null for none. Must be cheap: it runs at every readiness request. */
export type Check = () => string | null;

export class Readiness {
  private readonly checks = new Map<string, Check>();
  private readonly notices = new Map<string, Check>();

  /** The service is not ready while `check` returns a reason. A name is used once. */
  require(name: string, check: Check): this {
    return this.put(this.checks, name, check);
  }

  /** Shows the result of `check` beside readiness. */
  warn(name: string, check: Check): this {
    return this.put(this.notices, name, check);
  }

  /** Reasons why the service is not ready; empty when it is. */
  reasons(): string[] {
    return spoken(this.checks);
  }

  /** Warnings, which do not affect readiness. */
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
