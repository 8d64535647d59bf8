/*
 * How resources of several servers stand behind one address. The public URI holds the server's slug and the server's
 * own URI as it is, so that nothing has to be remembered: it maps back after a restart, and what a template's variables
 * were filled with maps back too.
 */

/** Hosts know MCP Apps by this scheme: it stays. */
const APP = "ui://";
const HUB = "guardhouse://";

/** Longer ones are no addresses. UTF-16 units. */
export const MAX_URI_LENGTH = 8_192;

/** A resource as its server calls it, or a template for such. */
export type ServerUri = { readonly slug: string; readonly uri: string };

/**
 * `file:///a.txt` of files is `guardhouse://files/file:///a.txt`; `ui://app/main.html` is `ui://files/app/main.html`. A
 * URI has no spaces; some servers list them all the same.
 */
export const publicUri = (slug: string, own: string): string => {
  const uri = own.replaceAll(" ", "%20");
  return uri.startsWith(APP) ? `${APP}${slug}/${uri.slice(APP.length)}` : `${HUB}${slug}/${uri}`;
};

/** Whether the resource may be one that its server lists with spaces. */
export const mayHaveSpaces = (uri: string): boolean => uri.includes("%20");

/** Null for what no server of anybody's can be meant by, and for what parsers read in several ways. */
export const serverUri = (uri: string): ServerUri | null => {
  const scheme = [APP, HUB].find((one) => uri.startsWith(one));
  const end = scheme === undefined ? -1 : uri.indexOf("/", scheme.length);
  if (scheme === undefined || end <= scheme.length || uri.length > MAX_URI_LENGTH) return null;
  const [slug, rest] = [uri.slice(scheme.length, end), uri.slice(end + 1)];
  if (scheme !== APP && rest === "") return null;
  const own = scheme === APP ? APP + rest : rest;
  return isAmbiguous(own) ? null : { slug, uri: own };
};

/** How often a text is decoded: more than any server does. */
const MAX_DECODING = 3;
const BETWEEN_SEGMENTS = /[/\\?&#=;,:]/;
/** What decides how the text is read: `.`, `/`, `\`, `%`, NUL, tab, line feed, carriage return. */
const DECODED = /%(2e|2f|5c|25|00|09|0a|0d)/gi;
/** The WHATWG URL parser removes or trims some of them: `.<TAB>.` is `..` to it. */
const NO_URI = /[\u0000-\u0020\u007f]/u;
const NO_URI_DECODED = /[\0\t\n\r]/;
/** Schemes of which the WHATWG URL parser takes `\` for `/`. */
const SPECIAL = /^(?:https?|wss?|ftp|file):/i;

/** A URI as it is and after each decoding; null where it is encoded more often than that. */
const readingsOf = (uri: string): readonly string[] | null => {
  const readings = [uri];
  for (let text = uri; readings.length <= MAX_DECODING + 1; readings.push(text)) {
    const decoded = text.replace(DECODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === text) return readings;
    text = decoded;
  }
  return null;
};

/** Whether a parser may leave characters out of a URI, or take others for slashes. */
const isAmbiguous = (uri: string): boolean => {
  if (NO_URI.test(uri)) return true;
  const isSpecial = SPECIAL.test(uri);
  return readingsOf(uri)?.some((text) => NO_URI_DECODED.test(text) || (isSpecial && text.includes("\\"))) ?? true;
};

/**
 * Whether a URI has a segment `..` or `.`, encoded or not, as any parser may read it. A pattern is held against the text,
 * so it would permit another resource than the one that such a server reads.
 */
export const hasDotSegment = (own: string): boolean => {
  // A space at either end is left out by parsers.
  if (own.trim() !== own) return true;
  const uri = own.replaceAll(" ", "%20");
  return isAmbiguous(uri) || (readingsOf(uri) ?? ["."]).some((text) => text.split(BETWEEN_SEGMENTS).some(isDots));
};

/** Some systems leave spaces at the end of a segment out. */
const isDots = (segment: string): boolean => /^(?:%20)*\.\.?(?:%20)*$/.test(segment);

/** Before its first variable a template says what all its URIs begin with. */
const beginningOf = (text: string, end: string): string => {
  const at = text.indexOf(end);
  return at === -1 ? text : text.slice(0, at);
};

/** Whether a URI begins as the template's do: which template a resource is of, as records name it. */
export const isOfTemplate = (template: string, uri: string): boolean => uri.startsWith(beginningOf(template, "{"));

/** Whether something that the pattern permits may be of the template. */
export const mayMeet = (pattern: string, template: string): boolean => {
  const [permitted, offered] = [beginningOf(pattern, "*"), beginningOf(template, "{")];
  return permitted.startsWith(offered) || offered.startsWith(permitted);
};
