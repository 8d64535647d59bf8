import { canonicalJson, isRecord, type JsonRecord } from "#core/json/json";
import { withDoubles } from "#core/json/json-number";
import { parseExactly } from "#core/json/json-reader";
import { MAX_UNITS_AT_ONCE, unitsOf } from "#guard/long-scan";
import type { ScanPool } from "#guard/scan-pool/pool";
import { type Actor, changeRecord } from "#model/change";
import { promptDefinition, templateDefinition } from "#model/tools/offered-definition";
import { publicUri } from "#model/tools/resource-uri";
import { type PinKind, publicName, type ToolPin, type ToolServer } from "#model/tools/tool";
import { asPinnedBefore, toolDefinition } from "#model/tools/tool-definition";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import type { Ids } from "#platform/ids";
import { RecentlyUsed } from "#platform/recently-used";
import { type Pause, SerialQueue, slices } from "#platform/slices";
import { hasHiddenCharacters } from "#scan/fold/hidden-text";
import type { Labels } from "#scan/label";
import { findingsOf } from "#scan/packed-scan";
import { type CompiledPolicy, isEnforced } from "#scan/policy";
import { redactText } from "#scan/redact";
import { type Judged, scanText } from "#scan/scan";
import { DEFINITION_SCORE, DEFINITION_TYPE, HELD_FROM, signsByPiece, weightOf } from "#scan/structure/definition-signs";
import { type Slot, Walk } from "#scan/texts/text-walk";
import type { SeenTool, ToolServerStore } from "#store/port";
import type { ToolListing } from "#upstream/tool-port";

/** More tools, prompts or templates than any client can take. */
const MAX_OF_KIND = 2_000;
const MAX_DEPTH = 64;
/** All of a server's definitions of a kind, in UTF-16 units of JSON: they are kept in memory. */
const MAX_LIST_SIZE = 4_194_304;
/** Verdicts that are remembered: of a few thousand tools, in about a megabyte. */
const MAX_VERDICTS = 4_096;
/** The latest half at least is kept: the longest list of resources has its place. In about four megabytes. */
const MAX_RESOURCE_VERDICTS = 16_384;
/** Names in one record, so that a server cannot grow the log without end. */
const MAX_RECORDED = 100;

const SYSTEM: Actor = { via: "system", user_id: null, agent_id: null, token_id: null };

type ToolDiscoveryNeeds = {
  readonly tools: Pick<ToolServerStore, "pins" | "see">;
  readonly policy: () => CompiledPolicy;
  /** The hub's own: a list belongs to no caller. */
  readonly labels: Labels;
  /** Whether a tool seen for the first time is approved as it is, when the guard has nothing against it. */
  readonly newTools: "pin" | "approve";
  readonly now: Clock;
  readonly ids: Ids;
  /** Threads for long texts; without them all is scanned where it is, as commands do. */
  readonly pool?: ScanPool | null;
};

type Judgement = { readonly flags: readonly string[]; readonly refused: boolean };

/** A definition as it was listed, what its server calls it, and its JSON. */
type Listed = {
  readonly kind: PinKind;
  readonly own: string;
  readonly definition: JsonRecord;
  readonly json: string;
};

/** What a server lists. A kind of which nothing is said is as it was. */
export type Listing = ToolListing & {
  readonly prompts?: readonly unknown[] | null;
  readonly templates?: readonly unknown[] | null;
};

/**
 * Takes a server's list in: each tool is checked, scanned, hashed and compared with what was approved. A definition
 * is text of a stranger that goes straight into models, so it is judged as tool results are. Two thousand of them are
 * a second of work: it is done in slices, and lists of one server one after the other.
 */
export class ToolDiscovery {
  private readonly queues = new Map<string, SerialQueue>();
  private readonly verdicts = new Verdicts(MAX_VERDICTS);
  /** Of their own: a long list of resources must not push out the verdicts of everybody's tools. */
  private readonly resourceVerdicts = new Verdicts(MAX_RESOURCE_VERDICTS);

  constructor(private readonly deps: ToolDiscoveryNeeds) {}

  /** The server's pins afterwards. Odd tools are left out; they cost only themselves. */
  async record(server: ToolServer, listing: Listing, by: Actor = SYSTEM): Promise<ToolPin[]> {
    const queues = this.queues.get(server.id) ?? new SerialQueue();
    this.queues.set(server.id, queues);
    try {
      return await queues.run(() => this.recordNow(server, listing, by));
    } finally {
      if (queues.isIdle) this.queues.delete(server.id);
    }
  }

  private async recordNow(server: ToolServer, listing: Listing, by: Actor): Promise<ToolPin[]> {
    const { tools, ids } = this.deps;
    const pause = slices.begin();
    const definitions = await definitionsOf(listing, pause);
    const before = await tools.pins(server.id);
    const known = new Map(before.map((pin) => [keyOf(pin), pin]));
    const judge = new DefinitionJudge(this.deps.policy(), this.deps.pool ?? null, server.id, pause, this.verdicts);
    const seen = await this.seen(server, definitions, known, judge);
    const listed = new Set(seen.map(keyOf));
    const differing = seen.filter((one) => known.get(keyOf(one))?.seen_hash !== one.seen_hash);
    const gone = before.filter((pin) => pin.present && !listed.has(keyOf(pin)) && isListed(listing, pin.kind));
    const asBefore = before.filter((pin) => pin.present && !isListed(listing, pin.kind));
    const instructions = await judge.judge({ instructions: listing.instructions ?? "" }, null);
    const detail = {
      slug: server.slug,
      listed: seen.length,
      new: namesOf(differing.filter((one) => !known.has(keyOf(one)))),
      changed: namesOf(differing.filter((one) => known.has(keyOf(one)))),
      gone: namesOf(gone),
      flagged: namesOf(differing.filter(({ flags }) => flags.length > 0)),
      instructions_flagged: instructions.flags.length > 0,
    };
    const change = { kind: "tool_server.see", by, subject: "tool_server", subject_id: server.id, detail };
    const all = [...seen, ...asBefore.map((pin) => ({ ...pin, pinIfNew: false }))];
    const isNews = await tools.see(server.id, all, changeRecord(change, { id: ids(), at: this.deps.now() }));
    return isNews ? tools.pins(server.id) : before;
  }

  /** Of definitions that are not pinned those the policy lets pass. */
  async passing<T extends JsonRecord>(server: ToolServer, definitions: readonly T[]): Promise<T[]> {
    const pause = slices.begin();
    const { policy, pool = null } = this.deps;
    const judge = new DefinitionJudge(policy(), pool, server.id, pause, this.resourceVerdicts);
    const passed: T[] = [];
    for (const definition of definitions) {
      const wait = pause();
      if (wait) await wait;
      const { flags, refused } = await judge.judge(definition, sha256Hex(canonicalJson(definition)));
      if (!refused && flags.length === 0) passed.push(definition);
    }
    return passed;
  }

  /** A server's own words about a failure, without what the policy does not let pass. */
  withoutSecrets(text: string): string {
    return redactText(text, scanText(this.deps.policy(), text, "tool_result").findings, this.deps.labels);
  }

  private async seen(
    server: ToolServer,
    definitions: readonly Listed[],
    known: ReadonlyMap<string, ToolPin>,
    judge: DefinitionJudge,
  ): Promise<SeenTool[]> {
    const taken = new Set([...known.values()].map(({ kind, name }) => `${kind} ${name}`));
    const seen: SeenTool[] = [];
    for (const { kind, own: tool, definition, json } of definitions) {
      const pin = known.get(keyOf({ kind, tool }));
      const own = sha256Hex(canonicalJson(definition));
      const isAsBefore = isPinnedWithout(pin, own, definition);
      const wait = judge.pause();
      if (wait) await wait;
      const name = pin?.name ?? nameFor(server, { kind, tool }, taken);
      taken.add(`${kind} ${name}`);
      const { flags, refused } = await judge.judge(definition, own);
      const pinIfNew = this.deps.newTools === "pin" && !refused && flags.length === 0;
      const isPinnedAnew = isAsBefore && pinIfNew;
      const isKnown = isKnownAs(pin, own, definition) || (isAsBefore && !isPinnedAnew);
      const hash = isKnown ? pin.seen_hash : own;
      seen.push({
        server_id: server.id,
        kind,
        tool,
        name,
        // Definitions that differ in the order of their fields only are the same one.
        seen: pin?.seen_hash === hash ? pin.seen : json,
        seen_hash: hash,
        flags,
        refused,
        seen_at: this.deps.now(),
        pinIfNew,
        isPinnedAnew,
        lacks_meta: isKnown && pin.lacks_meta,
      });
    }
    return seen;
  }
}

/**
 * What came of definitions under the policy in force, by their hash. Many people add the same server, and most lists that
 * are looked at again are as before: each definition is scanned once.
 */
class Verdicts {
  private readonly known: RecentlyUsed<Judgement>;
  private policy: CompiledPolicy | null = null;

  constructor(max: number) {
    this.known = new RecentlyUsed(max);
  }

  of(policy: CompiledPolicy, hash: string): Judgement | undefined {
    return policy === this.policy ? this.known.get(hash) : undefined;
  }

  keep(policy: CompiledPolicy, hash: string, judgement: Judgement): void {
    if (policy !== this.policy) this.known.clear();
    this.policy = policy;
    this.known.set(hash, judgement);
  }
}

/** What is wrong with texts of a server's own: the types the policy would not let pass, and hidden characters. */
class DefinitionJudge {
  constructor(
    /** One for the whole list. */
    private readonly policy: CompiledPolicy,
    private readonly pool: ScanPool | null,
    private readonly serverId: string,
    readonly pause: Pause,
    private readonly verdicts: Verdicts,
  ) {}

  /** `hash`: of the whole value, where the same one may be met again. */
  async judge(value: Readonly<Record<string, unknown>>, hash: string | null): Promise<Judgement> {
    const known = hash === null ? undefined : this.verdicts.of(this.policy, hash);
    if (known) return known;
    const judgement = await this.judgeAnew(value);
    if (hash !== null) this.verdicts.keep(this.policy, hash, judgement);
    return judgement;
  }

  private async judgeAnew(value: Readonly<Record<string, unknown>>): Promise<Judgement> {
    const walk = new Walk(MAX_DEPTH);
    walk.fields({ ...value }, "", "tool_result", 1);
    const flags = new Set(walk.gaps.filter(({ reason }) => reason === "too_deep").map(() => "tool.unreadable"));
    const isLong = ({ text }: Slot) => this.pool !== null && text.length > MAX_UNITS_AT_ONCE;
    for (const slot of walk.slots) {
      const wait = this.pause();
      if (wait) await wait;
      if (!isLong(slot)) this.note(scanText(this.policy, slot.text, "tool_result").findings, flags);
    }
    await this.scanInPool(walk.slots.filter(isLong), flags);
    for (const type of await this.signsOf(walk.slots)) flags.add(type);
    const refused = stringsIn(value).some(hasHiddenCharacters);
    if (refused) flags.add("injection.evasion");
    const wait = this.pause();
    if (wait) await wait;
    return { flags: [...flags].sort(), refused };
  }

  /** The types of the structural signs, if they are enough for a person to be asked. */
  private async signsOf(slots: readonly Slot[]): Promise<string[]> {
    const { policy } = this;
    if (policy.mode === "off") return [];
    if (policy.judge("tool_definition", DEFINITION_TYPE, DEFINITION_SCORE) === "allow") return [];
    const found = new Set<string>();
    for (const { text } of slots) {
      for (const signs of signsByPiece(text)) {
        for (const { id } of signs) found.add(id);
        const wait = this.pause();
        if (wait) await wait;
      }
    }
    return weightOf(found) < HELD_FROM ? [] : [...found].map((id) => `${DEFINITION_TYPE}.${id}`);
  }

  /** Throws what went wrong in the pool: a definition that was not read is not taken in. */
  private async scanInPool(slots: readonly Slot[], flags: Set<string>): Promise<void> {
    if (this.pool === null || slots.length === 0) return;
    const place = this.pool.enter(`tools ${this.serverId}`, unitsOf(slots), { signal: null, isRefusable: false });
    try {
      const texts = slots.map(({ text, origin }) => ({ text, origin }));
      for (const result of await place.scan(this.policy, texts)) {
        if ("failed" in result) throw result.failed;
        this.note(findingsOf(result.scan), flags);
      }
    } finally {
      place.leave();
    }
  }

  private note(findings: Iterable<Judged>, flags: Set<string>): void {
    for (const { type, action } of findings) if (isEnforced(action)) flags.add(type);
  }
}

/**
 * Whether a definition is what was pinned. Older hubs read numbers as doubles: a definition that is the same to them
 * keeps the hash they gave it, or every tool with a 64-bit bound in its schema would have to be approved again. So does
 * one whose defaults are the day it was listed: servers write such when they start.
 */
const isKnownAs = (pin: ToolPin | undefined, hash: string, definition: JsonRecord): pin is ToolPin =>
  pin !== undefined &&
  (pin.seen_hash === hash ||
    pin.seen_hash === sha256Hex(canonicalJson(withDoubles(definition, MAX_DEPTH))) ||
    undated(parseExactly(pin.seen)) === undated(definition));

/** ISO 8601, a date or a moment, as the whole value of a default. Within a string the quotes would be escaped. */
const DATED_DEFAULT =
  /(?<="default":")\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?=")/g;

const undated = (definition: unknown): string => canonicalJson(definition).replace(DATED_DEFAULT, "\0");

/** Whether an earlier version pinned it, without fields that it did not keep. */
const isPinnedWithout = (pin: ToolPin | undefined, hash: string, definition: JsonRecord): pin is ToolPin => {
  if (!pin?.lacks_meta || pin.seen_hash === hash || pin.pinned_hash !== pin.seen_hash) return false;
  const before = asPinnedBefore(definition);
  return before !== null && isKnownAs(pin, sha256Hex(canonicalJson(before)), before);
};

const namesOf = (tools: readonly { readonly name: string }[]): string[] =>
  tools.slice(0, MAX_RECORDED).map(({ name }) => name);

const keyOf = ({ kind, tool }: Pick<ToolPin, "kind" | "tool">): string => `${kind} ${tool}`;

const isListed = ({ prompts, templates }: Listing, kind: PinKind): boolean =>
  kind === "tool" || (kind === "prompt" ? prompts : templates) != null;

/** The public name of what is met for the first time. A template's maps back to its own, so that its URIs do. */
const nameFor = (
  { id, slug }: ToolServer,
  { kind, tool }: Pick<ToolPin, "kind" | "tool">,
  taken: ReadonlySet<string>,
): string => {
  if (kind === "template") return publicUri(slug, tool);
  const isOfKind = { has: (name: string) => taken.has(`${kind} ${name}`) };
  return publicName({ slug, serverId: id, tool }, isOfKind, sha256Hex);
};

type Known = Pick<Listed, "own" | "definition">;

/** How each kind is read, and what its own name is. `runsTasks`: whether the server runs calls as tasks. */
const KINDS: Readonly<Record<PinKind, (value: unknown, runsTasks: boolean) => Known | null>> = {
  tool: (value, runsTasks) => {
    const definition = toolDefinition(value, runsTasks);
    return definition && { own: definition.name, definition };
  },
  prompt: (value) => {
    const definition = promptDefinition(value);
    return definition && { own: definition.name, definition };
  },
  template: (value) => {
    const definition = templateDefinition(value);
    return definition && { own: definition.uriTemplate, definition };
  },
};

/** The first of each name. */
const definitionsOf = async (
  { tools, prompts, templates, runsTasks = false }: Listing,
  pause: Pause,
): Promise<Listed[]> => {
  const found: Listed[] = [];
  for (const [kind, values] of [
    ["tool", tools],
    ["prompt", prompts ?? []],
    ["template", templates ?? []],
  ] as const) {
    const names = new Set<string>();
    let size = 0;
    for (const value of values) {
      const wait = pause();
      if (wait) await wait;
      const known = KINDS[kind](value, runsTasks);
      if (!known || names.has(known.own)) continue;
      const json = JSON.stringify(known.definition);
      size += json.length;
      if (names.size === MAX_OF_KIND || size > MAX_LIST_SIZE) break;
      names.add(known.own);
      found.push({ kind, ...known, json });
    }
  }
  return found;
};

/** Every string of a JSON value, names too. Without recursion: a stranger decides how deep it is. */
const stringsIn = (value: unknown): string[] => {
  const strings: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") strings.push(next);
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (isRecord(next)) {
      for (const [name, part] of Object.entries(next)) {
        strings.push(name);
        open.push(part);
      }
    }
  }
  return strings;
};
