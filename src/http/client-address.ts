import { type IpRange, inRange, parseAddress } from "#core/ip-range";

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
