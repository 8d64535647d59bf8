const MAX_LENGTH = 2_048;
/** Visible ASCII. Whatever else there is, two parsers read it in two ways. */
const PLAIN = /^[\x21-\x7e]+$/;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::([0-9]{1,5}))?((?:[/?].*)?)$/;
/** RFC 8252 §7.1: a name of a domain turned around, and no authority. */
const PRIVATE_USE = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:\/(?!\/)/;

/** Programs whose schemes are no domain's. Exactly these: a scheme alone could be taken by any program. */
const KNOWN: ReadonlySet<string> = new Set(["cursor://anysphere.cursor-mcp/oauth/callback"]);

/**
 * Whether a client may ask for codes to be sent there: `https` anywhere, plain `http` on this machine only, schemes
 * of programs. Never what a browser would run or open by itself.
 */
export const isRedirectUri = (uri: string): boolean => {
  if (uri.length > MAX_LENGTH || !PLAIN.test(uri) || /[#*\\]/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== "" || password !== "") return false;
  if (protocol === "http:") return LOOPBACK.test(uri);
  if (protocol === "https:") return uri.startsWith("https://") && hostname !== "";
  return KNOWN.has(uri) || PRIVATE_USE.test(uri);
};

/** Whether it needs no server that the world can reach. */
export const isNative = (uri: string): boolean => !uri.startsWith("https://");

/** Whether it leads to a program on the person's own machine by plain http. */
export const isLoopbackRedirect = (uri: string): boolean => LOOPBACK.test(uri);

/** Exactly a registered one; on this machine the port may be another one (RFC 8252 §7.3). */
export const matchesRedirect = (registered: readonly string[], asked: string): boolean => {
  if (!isRedirectUri(asked)) return false;
  const portless = withoutPort(asked);
  return registered.some((uri) => uri === asked || (portless !== null && withoutPort(uri) === portless));
};

const withoutPort = (uri: string): string | null => {
  const parts = LOOPBACK.exec(uri);
  return parts && `${parts[1]}${parts[3]}`;
};

/** Whether they are one address on this machine, by two of its names. The port and all that follows count. */
export const isSameHere = (one: string, other: string): boolean => {
  const [here, there] = [LOOPBACK.exec(one), LOOPBACK.exec(other)];
  return here !== null && there !== null && here[2] === there[2] && here[3] === there[3];
};

/** Where a code goes, in words for people. */
export const placeOf = (uri: string): string => {
  if (LOOPBACK.test(uri)) return "a program on this computer";
  const { protocol, host } = new URL(uri);
  return protocol === "https:" ? host : `a program on this computer that opens ${protocol} links`;
};
