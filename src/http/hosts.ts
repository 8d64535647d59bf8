import { GuardError } from "#core/errors";

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\.?(?::\d{1,5})?$/;
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Host headers seen to be good; anything a client can invent is bounded. */
const MOST_REMEMBERED = 256;

/**
 * Refuses requests whose Host is not ours, before anything reads their path: stops DNS rebinding, and the
 * path confusion of routers that look for the path behind the host (CVE-2026-48710 and its kin).
 */
export class HostCheck {
  private readonly good = new Set<string>();

  constructor(
    publicUrl: string,
    private readonly allowed: readonly string[],
  ) {
    this.allowed = [new URL(publicUrl).hostname, ...allowed].map((host) => host.toLowerCase());
  }

  /** Throws `invalid_host`. */
  check(request: Request): void {
    const host = request.headers.get("host");
    const { url } = request;
    // A URL of another shape than scheme, this very host, path was made from a malformed or absolute request line.
    const after = url.indexOf("://");
    const matches = host !== null && after > 0 && url.startsWith(host, after + 3) && url[after + 3 + host.length] === "/";
    if (!matches || !this.isGood(host)) {
      throw new GuardError("invalid_host", "The Host header is not an address of this hub. Operators allow further names with allowed_hosts.");
    }
  }

  private isGood(host: string): boolean {
    if (this.good.has(host)) return true;
    const name = HOST.exec(host.toLowerCase())?.[1];
    if (name === undefined || !(LOOPBACK.test(name) || this.allowed.includes(name))) return false;
    if (this.good.size < MOST_REMEMBERED) this.good.add(host);
    return true;
  }
}
