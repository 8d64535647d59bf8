/** What kinds of value are followed, and how sure it is that one that came from elsewhere matters. */
export const KINDS = {
  account: 0.9,
  email: 0.9,
  url: 0.9,
  /** Of a URL the part before data that was added to it. */
  url_with_data: 0.9,
  dangerous_command: 0.9,
  /** Where what is written is run, or lets somebody in. */
  sensitive_path: 0.85,
  phone: 0.8,
  host: 0.75,
  package: 0.75,
  command: 0.65,
  path: 0.6,
  /** Within where the tool works, of a document or data: neither run nor read as settings. */
  document: 0.55,
  file: 0.6,
  identifier: 0.5,
} as const;
export type ValueKind = keyof typeof KINDS;

/**
 * Told of a value at a span; true when its origin is known. What lies inside a known value is not asked for:
 * of a URL from a tool, the host is no second finding.
 */
export type Ask = (kind: ValueKind, start: number, end: number) => boolean;

/** What no address, path or identifier has in it. */
const CHUNK = /[^\s"'`<>{}|()[\],;*^]+/g;
const PIECE = /[a-z0-9._@%+\-\x80-\uffff]+/g;
const WIDE = /[^\x00-\x7f]/;
const PLAIN = /[\x00-\x7f]+/g;
const ADDRESS = /^[a-z0-9._%+-]{1,64}@([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/;
const DOTTED = /^[^.]+(?:\.[^.]+)*\.([a-z0-9]{1,12})$/;
const IP = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Days, months and their hours; eight digits that read as a day are one. */
const DATE =
  /^(?:(?:19|20)\d\d(?:[-/. ][01]?\d(?:[-/. ][0-3]?\d(?:[t _-]?\d{0,2})?)?|[01]\d[0-3]\d)|[0-3]?\d[-/. ](?:[01]?\d[-/. ])?(?:19|20)\d\d)$/;
const GROUPED_DIGITS = /\d[\d ()./-]{6,}\d/g;
const GROUPED_IBAN = /\b[a-z]{2}\d{2}(?: [a-z0-9]{4}){2,7}(?: [a-z0-9]{1,3})?\b/g;

const FILE_TYPES: ReadonlySet<string> = new Set(
  `txt md markdown rst csv tsv json jsonl yaml yml toml xml html htm css scss ini cfg conf env log lock pdf doc docx
  odt rtf xls xlsx ods ppt pptx odp key pem crt cer p12 pfx pub eml msg ics vcf png jpg jpeg gif svg webp bmp tif tiff
  heic mp3 mp4 wav mov avi mkv webm zip tar gz tgz bz2 xz 7z rar jar war exe dll so dylib bin iso dmg deb rpm apk msi
  js mjs cjs ts mts cts jsx tsx vue svelte py ipynb rb php java kt scala go rs c h cc cpp hpp cs swift m lua pl sh bash
  zsh ps1 bat cmd sql sqlite db parquet avro proto graphql tf dockerfile gradle properties patch diff bak tmp old`.split(
    /\s+/,
  ),
);
/** Of names that stand alone. In addresses and URLs every name counts; two letters are a country's. */
const DOMAINS: ReadonlySet<string> = new Set(
  `com net org edu gov mil int info biz name pro dev app cloud page site online website store shop tech space live
  life xyz top club icu vip work link click host press fun win bid loan agency email support services solutions
  systems network digital media news blog wiki world today group company bank finance money pay wtf zone one
  local internal lan corp home test example invalid localhost arpa onion`.split(/\s+/),
);
/** Words with digits in them that name nothing of anybody's. */
const COMMON: ReadonlySet<string> = new Set(
  "sha1 sha256 sha384 sha512 base32 base64 utf-16 utf-32 int16 int32 int64 uint16 uint32 uint64 float32 float64 python2 python3 x86_64 amd64 arm64 iso8601 rfc3339 win32 win64 latin1 oauth2 ed25519".split(
    " ",
  ),
);
/** Parts of a joined name, and groups of digits, that are tried together. */
const MAX_PARTS = 8;
const MAX_GROUPS = 10;
/** RFC 1035 §2.3.4: no longer name is looked up. */
const MAX_HOST_LENGTH = 253;
/** Of one host, from its end. */
const MAX_LABELS = 32;
/** URLs inside URLs are followed this far. */
const MAX_URL_DEPTH = 4;

/** Asks for every value in a folded lower-case text, outermost first. Time grows with the text's length. */
export const askForValues = (text: string, ask: Ask): void => {
  for (const { 0: iban, index } of text.matchAll(GROUPED_IBAN)) askIban(iban, index, ask);
  for (const { 0: digits, index } of text.matchAll(GROUPED_DIGITS)) askDigits(digits, index, text[index - 1], ask);
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    const kept = chunk.replace(/^[:!?=]+/, "");
    const start = index + chunk.length - kept.length;
    askChunk(trimmedEnd(kept, ".:!?=&"), start, ask, 0);
  }
};

/** By hand: an expression for it would begin anew at every mark of a long run. */
const trimmedEnd = (text: string, marks: string): string => {
  let end = text.length;
  while (end > 0 && marks.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
};

const askChunk = (chunk: string, at: number, ask: Ask, depth: number): void => {
  const mark = depth < MAX_URL_DEPTH ? chunk.indexOf("://") : -1;
  if (mark > 0) askUrl(chunk, mark, at, ask, depth);
  else if (isPath(chunk) && ask(pathKind(chunk), at, at + chunk.length)) return;
  else askPieces(chunk, at, ask);
};

const askUrl = (chunk: string, mark: number, at: number, ask: Ask, depth: number): void => {
  const begin = mark + 3;
  let scheme = mark;
  while (scheme > 0 && /[a-z0-9+.-]/.test(chunk.charAt(scheme - 1))) scheme -= 1;
  askPieces(chunk.slice(0, scheme), at, ask);
  // The scheme is not part of what is compared: http and https name the same place.
  if (ask("url", at + begin, at + chunk.length)) return;
  const query = dataAt(chunk, begin);
  if (query > 0 && ask("url_with_data", at + begin, at + query)) {
    askChunk(chunk.slice(query), at + query, ask, depth + 1);
    return;
  }
  const length = chunk.slice(begin).search(/[/?#\\]/);
  const end = length < 0 ? chunk.length : begin + length;
  const user = chunk.lastIndexOf("@", end - 1) + 1;
  const host = Math.max(begin, user);
  const port = chunk.indexOf(":", host);
  if (user > begin) askPieces(chunk.slice(begin, user - 1), at + begin, ask);
  askHost(chunk, [host, port < 0 || port > end ? end : port, end], at, ask);
  askChunk(chunk.slice(end), at + end, ask, depth + 1);
};

/** A host, which data can be sent to in its own name and in a path as well as in a query: encoded, in one piece. */
const askHost = (chunk: string, [from, to, end]: readonly [number, number, number], at: number, ask: Ask): void => {
  for (const { 0: segment, index } of chunk.slice(end).matchAll(/[^/?#&=]+=*/g)) {
    const place = at + end + index;
    if (!isEncoded(segment) || ask("identifier", place, place + segment.length)) continue;
    if (ask("url_with_data", at + from, at + to)) return;
    break;
  }
  if (ask("host", at + from, at + to)) return;
  const name = chunk.slice(from, to);
  if (name.length > MAX_HOST_LENGTH) return;
  const dots = [...name.matchAll(/\./g)].map(({ index }) => index).slice(-MAX_LABELS, -1);
  for (const dot of dots) {
    if (isEncoded(name.slice(0, dot)) && ask("url_with_data", at + from + dot + 1, at + to)) return;
  }
};

/** Base64, hexadecimal or the like: one long run of letters and digits mixed, or of letters that no word has. */
const isEncoded = (text: string): boolean => {
  if (!/^[a-z0-9+_.-]{12,}=*$/.test(text) || /[-_.][a-z]{2,}[-_.]/.test(text)) return false;
  return (text.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0) >= 3 || /[bcdfghjklmnpqrstvwxz]{6}/.test(text);
};

/** Where a query or a fragment with data begins; 0 for none. */
const dataAt = (chunk: string, from: number): number => {
  const at = chunk.slice(from).search(/[?#]/);
  return at > 0 && /[=&/]|[a-z0-9]{8}/.test(chunk.slice(from + at)) ? from + at : 0;
};

/** A repository over SSH: `git@host:team/app.git`. */
const REMOTE = /^[a-z0-9._-]{1,40}@[a-z0-9-]+(?:\.[a-z0-9-]+)+:/;
const SENSITIVE =
  /(?:^|[/\\])(?:\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.git[/\\]hooks|\.githooks|\.husky|\.github[/\\]workflows|\.config[/\\]autostart|autostart|launchagents|launchdaemons|cron\.\w+|systemd|init\.d|sudoers(?:\.d)?|startup|site-packages|\.vscode|\.cursor|\.claude|\.codex)(?:[/\\]|$)|(?:^|[/\\])(?:\.(?:bash|zsh)(?:rc|_profile)|\.profile|\.npmrc|\.pypirc|\.netrc|\.env(?:\.\w+)?|authorized_keys|crontab|sudoers|claude\.md|agents\.md|mcp\.json|\.gitlab-ci\.yml)$|^\/etc[/\\]/;

const pathKind = (chunk: string): ValueKind => {
  if (isHost(chunk.split("/", 1)[0] ?? "") || REMOTE.test(chunk)) return "url";
  if (SENSITIVE.test(chunk)) return "sensitive_path";
  return isDocument(chunk) ? "document" : "path";
};

const isDocument = (chunk: string): boolean =>
  /^\.?[^./\\~:][^:~\\]*$/.test(chunk) && !chunk.includes("../") && DOCUMENT.test(chunk);
const DOCUMENT =
  /\.(?:txt|md|markdown|rst|csv|tsv|pdf|docx?|odt|rtf|xlsx?|ods|pptx?|odp|png|jpe?g|gif|webp|mp[34]|wav)$/;

const isPath = (chunk: string): boolean => {
  if (!/[/\\]/.test(chunk)) return false;
  const names = chunk.split(/[/\\]/).filter((name) => /[a-z0-9]/.test(name));
  return names.length > 2 || /^(?:[~.]{0,2}[/\\]|[a-z]:\\)/.test(chunk) || DOTTED.test(names.at(-1) ?? "");
};

const isFile = (name: string): boolean => FILE_TYPES.has(DOTTED.exec(name)?.[1] ?? "");

const isHost = (name: string): boolean => {
  const last = DOTTED.exec(name)?.[1];
  return IP.test(name) || (last !== undefined && (DOMAINS.has(last) || /^[a-z]{2}$/.test(last)));
};

const askPieces = (text: string, at: number, ask: Ask): void => {
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (!WIDE.test(piece)) askPiece(piece, at + index, ask);
    else if (!(isFile(piece) && ask("file", at + index, at + index + piece.length))) {
      // Scripts without spaces stand right beside an address.
      for (const { 0: plain, index: inside } of piece.matchAll(PLAIN)) askPiece(plain, at + index + inside, ask);
    }
  }
};

const askPiece = (piece: string, at: number, ask: Ask): void => {
  const kept = piece.replace(/^[.@%+-]+/, "");
  const start = at + piece.length - kept.length;
  const name = trimmedEnd(kept, ".@%+-");
  if (name.includes("@")) askAddress(name, start, ask);
  else askName(name, start, piece.startsWith("+"), ask);
};

const askAddress = (name: string, at: number, ask: Ask): void => {
  const domain = ADDRESS.exec(name)?.[1];
  if (domain !== undefined && ask("email", at, at + name.length)) return;
  let from = at;
  for (const part of name.split("@")) {
    if (part !== domain) askName(part, from, false, ask);
    else ask("host", from, from + part.length);
    from += part.length + 1;
  }
};

const askName = (name: string, at: number, isPhone: boolean, ask: Ask): void => {
  const kind = isFile(name) ? "file" : isHost(name) ? "host" : null;
  if (kind !== null && ask(kind, at, at + name.length)) return;
  if (!/\d/.test(name) || DATE.test(name)) return;
  const parts = [...name.matchAll(/[^._%+-]+/g)].map(({ 0: part, index }) => [index, index + part.length] as const);
  askSpans(parts, MAX_PARTS, (from, to) => {
    const shape = kindOf(name.slice(from, to), isPhone);
    return shape !== null && ask(shape, at + from, at + to);
  });
};

/** Runs of neighbouring spans, the longest first; what was found is not looked at again. */
const askSpans = (
  spans: readonly (readonly [from: number, to: number])[],
  most: number,
  isKnown: (from: number, to: number) => boolean,
): void => {
  for (let first = 0; first < spans.length; first += 1) {
    for (let last = Math.min(first + most, spans.length) - 1; last >= first; last -= 1) {
      const [from, to] = [spans[first]?.[0], spans[last]?.[1]];
      if (from === undefined || to === undefined || !isKnown(from, to)) continue;
      first = last;
      break;
    }
  }
};

const kindOf = (name: string, isPhone: boolean): ValueKind | null => {
  if (name.length < 6 || !/\d/.test(name) || COMMON.has(name) || DATE.test(name)) return null;
  if (/^\d{8,}$/.test(name)) return isPhone ? "phone" : "account";
  return /^[a-z]{2}\d{2}[a-z0-9]{11,30}$/.test(name) ? "account" : "identifier";
};

/** Numbers written in groups; a single group has been asked for as a name. */
const askDigits = (digits: string, at: number, before: string | undefined, ask: Ask): void => {
  const groups = [...digits.matchAll(/\d+/g)].map(({ 0: group, index }) => [index, index + group.length] as const);
  if (groups.length < 2) return;
  askSpans(groups, MAX_GROUPS, (from, to) => {
    const text = digits.slice(from, to);
    const count = text.replace(/\D/g, "").length;
    if (count < 8 || count > 34 || count === text.length || DATE.test(text) || IP.test(text)) return false;
    const isPhone = (before === "+" && from === 0) || (count < 16 && /[()/-]/.test(text));
    return ask(isPhone ? "phone" : "account", at + from, at + to);
  });
};

/** The word behind an account number can look like its last group. */
const askIban = (iban: string, at: number, ask: Ask): void => {
  for (let end = iban.length; end >= 14; end = iban.lastIndexOf(" ", end - 1)) {
    if (ask("account", at, at + end)) return;
  }
};
