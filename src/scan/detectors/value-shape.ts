import { entropy } from "#core/checksums";
import { drawnBits } from "./drawn";
import { isTeachingPair } from "./name-and-password";
import { isPlaceholder } from "./placeholder";
import { isObjectId } from "./secret-name";
import { isName, isWordy } from "./spoken";

/** Fewer letters without a digit are an abbreviation or a name. */
const MIN_LETTERS = 20;
/** Words, alone or strung together as names of variables, headers, classes and properties are. */
const WORDS_ONLY = /^[A-Za-z_$](?:[-A-Za-z_$.:/+ ]|\?\.|->)*$/;
/** Paths, addresses, numbers, dates, versions, look-ups, format strings. */
const NO_SECRET =
  /^(?:[./~]|\.\.|[a-z][a-z0-9+.-]*:\/\/|[A-Za-z]:\\|[-+]?[\d.,:/_-]+$|v?\d+(?:\.\d+)+|[\w.:-]*[-:]\d+(?:\.\d+){1,3}$|\d{4}-\d\d-\d\dT|[-+]?0x[0-9a-f_]{1,40}$|[*&+][a-z_][\w.[\]]*$|[\w.-]+:\d{1,5}$|![!a-z_$.]+$|\$|%[({A-Z]|\{|\[|<|@|#|&|\*+$)|%[sdv](?![\w*])|\$\{|\{\{|\}\}|<\/?[a-z]|\(\)|\bthis\./i;
const LOOKED_UP =
  /^(?:os|process|env|environ|config|conf|cfg|settings|self|this|request|req|res|ctx|context|params|props|data|options|opts|args|secrets|vault|var|vars|local|module|user|session|state|input|form|event|arn|urn|ref|file|kms|ssm)[.:[]/i;
const MEMBER = /^[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+$/;
const FILE =
  /\.(?:pem|p12|pfx|key|crt|cer|jks|json|ya?ml|xml|txt|ts|js|py|go|java|rb|php|md|html?|css|png|ini|conf|env)$/i;
const STAND_IN =
  /^(?:null|none|nil|true|false|undefined|string|number|required|optional|pass(?:word|wd|phrase)?\d{0,4}$|secret\d{0,4}$|change|hidden|masked|todo|tbd|test|demo|fake|mock|(?:enter|put|add|some|any|the|this|my)[-_ ]|your|foo|bar|baz|default|value|token|api[-_]?key|key\d?$)/i;
const DIGEST = /^(?:sha\d{1,3}|md5|h1)[-:=]/i;
/**
 * Public keys in base64: X.509's SubjectPublicKeyInfo (RFC 5280 §4.1) and OpenSSH's; JSON that begins a line; and keys
 * that pages show to browsers: Stripe's and Mapbox's public ones, PostHog's, reCAPTCHA's, Google's client ids. Google's API keys have a detector of their own.
 */
const PUBLIC =
  /^(?:AIza[\w-]{35}$|pk_(?:live|test)_|pk\.eyJ|phc_|6L[a-zA-Z0-9_-]{38}$|\d{6,}-\w{32}\.apps\.googleusercontent|MFkwEwYH|MHYwEAYH|MIGfMA0G|MIIBI|MIICIj|MCowBQYDK2V|AAAA[BCE][23]N[zj]|ewog)/;
/** A setting of its own, on the line behind a placeholder: `RELEASE_ID=…`. */
const SETTING = /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*|[a-z]+(?:[_.-][a-z0-9]+)+)=[^=]/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX_ONLY = /^[0-9a-f]+$/i;

export type ValueShape = {
  /** Between quotes, with nothing else. */
  readonly closed: boolean;
  readonly uuid: boolean;
  readonly hex: boolean;
  /** Made of words in the main: a name, not something drawn. */
  readonly wordy: boolean;
  /** Lower case, upper case, digits, others: how many of the four. */
  readonly kinds: number;
  readonly digits: number;
  readonly bits: number;
  /** See `drawnBits`. */
  readonly drawn: number;
};

/** From here on a value is drawn, whatever words chance has spelled in it. */
export const DRAWN = 14;

/** What a value is like; null for what cannot be a secret written down. */
export function shapeOf(value: string, quoted: boolean, closed: boolean): ValueShape | null {
  if (isStandIn(value, quoted) || isPlaceholder(value) || isTeachingPair(value)) return null;
  const words = WORDS_ONLY.test(value);
  if (words && !(closed && value.length >= MIN_LETTERS)) return null;
  const drawn = drawnBits(value);
  const isDrawn = drawn >= DRAWN;
  if (words && !isDrawn) return null;
  const name = !isDrawn && isName(value);
  if (!quoted && name) return null;
  const wordy = !isDrawn && (name || isWordy(value));
  if (!quoted && MEMBER.test(value) && (wordy || value.length < 24)) return null;
  const { kinds, digits } = counted(value);
  return {
    closed,
    uuid: UUID.test(value),
    hex: HEX_ONLY.test(value),
    wordy,
    kinds,
    digits,
    bits: entropy(value),
    drawn,
  };
}

/** What is looked up, shown, numbered or summed up instead of written down. */
const isStandIn = (value: string, quoted: boolean): boolean =>
  NO_SECRET.test(value) ||
  LOOKED_UP.test(value) ||
  FILE.test(value) ||
  STAND_IN.test(value) ||
  DIGEST.test(value) ||
  PUBLIC.test(value) ||
  isObjectId(value) ||
  (!quoted && SETTING.test(value));

/** The best that a value's shape can be by its characters alone: what is no secret by this is none by its shape. */
export function outlineOf(value: string, closed: boolean): ValueShape {
  const { kinds, digits } = counted(value);
  const [bits, drawn] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { closed, uuid: UUID.test(value), hex: false, wordy: false, kinds, digits, bits, drawn };
}

function counted(value: string): Pick<ValueShape, "kinds" | "digits"> {
  let [lower, upper, digits] = [0, 0, 0];
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) digits++;
    else if (code >= 0x41 && code <= 0x5a) upper++;
    else if (code >= 0x61 && code <= 0x7a) lower++;
  }
  const others = value.length - lower - upper - digits;
  return { kinds: Math.min(lower, 1) + Math.min(upper, 1) + Math.min(digits, 1) + Math.min(others, 1), digits };
}
