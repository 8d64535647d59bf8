import { GuardError } from "#core/errors";
import { type IpRange, inRange, isLoopback, parseAddress } from "#core/ip-range";

/** A name or a bracketed address, the final dot of an absolute name, a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\.?(?::(\d{1,5}))?$/;
const MAX_PORT = 65_535;
/** Host headers seen to be good; anything a client can invent is bounded. */
const MAX_REMEMBERED = 256;

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
    if (host === null || !isAt(request.url, host) || !this.isGood(host)) {
      throw new GuardError(
        "invalid_host",
        "The Host header is not a name of this hub. Operators set public_url, or add the name to allowed_hosts.",
      );
    }
  }

  private isGood(host: string): boolean {
    if (this.good.has(host)) return true;
    const [, name, port] = HOST.exec(host.toLowerCase()) ?? [];
    if (name === undefined || Number(port ?? 0) > MAX_PORT) return false;
    const isOurs = this.allowed.includes(name) || this.allowed.includes(`${name}:${port}`);
    if (!isOurs && !isLoopback(name)) return false;
    if (this.good.size < MAX_REMEMBERED) this.good.add(host);
    return true;
  }
}

/** Whether the URL reads scheme, this very host, path: one of another shape was made from a malformed request. */
const isAt = (url: string, host: string): boolean => {
  const begin = url.indexOf("://") + 3;
  if (begin < 3) return false;
  // The runtime writes names in lower case and leaves out port 80.
  return reads(url, begin, host) || reads(url, begin, host.toLowerCase().replace(/:80$/, ""));
};

const reads = (url: string, begin: number, host: string): boolean =>
  url.startsWith(host, begin) && url[begin + host.length] === "/";

/** The IPv4 address inside `::ffff:10.0.0.1`, as sockets for both families report it. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

const HOPS = 20;

/**
 * Where a request comes from: the socket's other end, unless that is a configured proxy. Then it is what the proxies
 * said, read from the right: the last address that is no proxy's own. What stands left of it anybody can write.
 */
export const clientAddress = (
  socket: string | null,
  forwarded: string | null,
  proxies: readonly IpRange[],
): string | null => {
  if (socket === null) return null;
  const isProxy = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== null && proxies.some((range) => inRange(address, range));
  };
  let client = unmapped(socket);
  const hops = (forwarded ?? "").split(",").slice(-HOPS).toReversed();
  for (const hop of hops) {
    const before = unmapped(hop.trim());
    if (!isProxy(client) || parseAddress(before) === null) break;
    client = before;
  }
  return client;
};
