import { GuardError } from "#core/errors";
import { matchesGlob } from "#core/glob";
import { canonicalJson, isRecord } from "#core/json/json";
import { isLongerThan } from "#core/json/json-size";
import { slices } from "#platform/slices";
import type { DocumentFetch, NoDocument } from "#upstream/outbound-port";
import { OFFICIAL } from "./schema";
import { type ServerJson, serverJson } from "./server-json";

/* Reading another registry's list. All of it is a stranger's: number, size and time of what is read have limits. */

/** Entries of one import: more than anybody reviews in one sitting. */
export const MAX_IMPORTED = 200;
const MAX_ENTRY = 65_536;
const MAX_PAGES = 100;
const PAGE = 100;
/** Entries of all pages, matching or not: each is looked at. */
const MAX_LISTED = MAX_PAGES * PAGE;
const MAX_MS = 60_000;
/** Named in an answer. */
const MAX_REFUSED = 50;

export type Found = {
  readonly entries: readonly ServerJson[];
  /** Entries that are none, and what is wrong with them. */
  readonly refused: readonly { readonly name: string; readonly problem: string }[];
};

const WHY: Readonly<Record<NoDocument, string>> = {
  forbidden_address: "its address is not public; operators allow networks in tool_gateway.allow_private",
  unreachable: "it cannot be reached",
  timeout: "it takes too long",
  redirect: "it answers with a redirect, and none is followed",
  status: "it answers with an error",
  type: "its answer is not JSON",
  too_large: "its answer is too large",
  not_json: "its answer is not JSON",
  broken: "the connection broke off",
};

/** Only names that match `name` (`*` for any characters); the newest version of each where a registry has several. */
export const entriesAt = async (
  fetch: DocumentFetch,
  url: string,
  name: string | null,
  now: () => number,
): Promise<Found> => {
  const reader = new EntryReader(name);
  const until = now() + MAX_MS;
  const seen = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const answer = await fetch(pageAt(url, name, cursor));
    if (answer.kind === "none") throw failed(WHY[answer.why]);
    await reader.read(answer.document);
    cursor = nextOf(answer.document);
    if (cursor === null || !isList(url)) return reader.found();
    if (seen.has(cursor)) throw failed("its pages go round in a circle");
    if (seen.size + 1 >= MAX_PAGES || now() > until) throw failed("it has too many entries: choose some by name");
    seen.add(cursor);
  }
};

const failed = (why: string): GuardError => new GuardError("upstream_error", `The registry was not read: ${why}.`);

/** The address of a registry, of its list, or of a document. Throws `invalid_value`. */
export const registryUrl = (text: string): string => {
  const url = URL.canParse(text) && text.length <= 2_048 ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:") || url.username !== "" || url.password !== "") {
    throw new GuardError("invalid_value", "The URL must begin with http:// or https://, without user and password.", {
      param: "url",
    });
  }
  if (url.pathname === "/") url.pathname = "/v0.1/servers";
  url.hash = "";
  return url.href;
};

const isList = (url: string): boolean => /\/servers\/?$/.test(new URL(url).pathname);

const pageAt = (text: string, name: string | null, cursor: string | null): string => {
  const url = new URL(text);
  if (!isList(text)) return url.href;
  url.searchParams.set("limit", `${PAGE}`);
  url.searchParams.set("version", "latest");
  // Registries find parts of names: the longest part that is certain leaves the fewest to read.
  const part = name?.split("*").reduce((longest, one) => (one.length > longest.length ? one : longest), "") ?? "";
  if (part !== "") url.searchParams.set("search", part);
  if (cursor !== null) url.searchParams.set("cursor", cursor);
  return url.href;
};

const nextOf = (document: unknown): string | null => {
  const metadata = isRecord(document) ? document["metadata"] : undefined;
  const cursor = isRecord(metadata) ? metadata["nextCursor"] : undefined;
  return typeof cursor === "string" && cursor !== "" ? cursor : null;
};

/** What pages hold: a list of entries or servers, one entry, or one server. Throws `invalid_value`. */
export const entriesIn = async (documents: readonly unknown[], name: string | null): Promise<Found> => {
  const reader = new EntryReader(name);
  for (const document of documents) await reader.read(document);
  return reader.found();
};

/** Keeps of each page what matches, and gives way between two entries. */
class EntryReader {
  private readonly entries = new Map<string, ServerJson>();
  private readonly refused: { name: string; problem: string }[] = [];
  private listed = 0;

  constructor(private readonly name: string | null) {}

  found(): Found {
    return { entries: [...this.entries.values()], refused: this.refused };
  }

  /** Throws `invalid_value`. */
  async read(document: unknown): Promise<void> {
    const values = valuesIn(document);
    this.listed += values.length;
    if (this.listed > MAX_LISTED) throw tooMany(`More than ${MAX_LISTED} servers are listed`);
    const pause = slices.begin();
    for (const value of values) {
      const wait = pause();
      if (wait) await wait;
      this.take(entryOf(value));
      if (this.entries.size > MAX_IMPORTED) throw tooMany(`More than ${MAX_IMPORTED} servers match`);
    }
  }

  private take({ server, isCurrent }: Listed): void {
    const called = isRecord(server) && typeof server["name"] === "string" ? server["name"] : "";
    if (!isCurrent || (this.name !== null && !matchesGlob(this.name, called))) return;
    const problem = problemWith(server);
    if (problem === null && serverJson.fits(server)) this.entries.set(called, server);
    else if (this.refused.length < MAX_REFUSED)
      this.refused.push({ name: called.slice(0, 200), problem: problem ?? "is invalid" });
  }
}

const tooMany = (what: string): GuardError =>
  new GuardError("invalid_value", `${what}: choose fewer by name.`, { param: "name" });

type Listed = { readonly server: unknown; readonly isCurrent: boolean };

const valuesIn = (document: unknown): readonly unknown[] => {
  const servers = isRecord(document) ? document["servers"] : undefined;
  if (Array.isArray(servers)) return servers;
  if (isRecord(document) && ("server" in document || "name" in document)) return [document];
  throw new GuardError("invalid_value", 'This is no registry: a list has "servers", an entry "server" or "name".');
};

const entryOf = (value: unknown): Listed => {
  if (!isRecord(value) || !("server" in value)) return { server: value, isCurrent: true };
  const meta = isRecord(value["_meta"]) ? value["_meta"][OFFICIAL] : undefined;
  const isPast = isRecord(meta) && (meta["status"] === "deleted" || meta["isLatest"] === false);
  return { server: value["server"], isCurrent: !isPast };
};

/** Names places only, never what stands there. */
const problemWith = (server: unknown): string | null => {
  if (isLongerThan(server, MAX_ENTRY)) return "is too large";
  const [fault] = serverJson.faults(server);
  if (fault) return `does not fit the schema at ${fault.path === "" ? "its top" : fault.path.slice(0, 200)}`;
  return canonicalJson(server).length > MAX_ENTRY ? "is too large" : null;
};
