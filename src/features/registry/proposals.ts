import { GuardError } from "#core/errors";
import { canonicalJson, parseJson } from "#core/json/json";
import type { PageWindow } from "#core/page";
import { emailsFor } from "#identity/names";
import { type Actor, changeRecord } from "#model/change";
import type { User } from "#model/person";
import type { Proposal, ProposalState } from "#model/tools/proposal";
import type { ToolCredentials } from "#model/tools/tool";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import { type Ids, isUuid } from "#platform/ids";
import type { ProposalStore, UserStore } from "#store/port";
import type { DocumentFetch } from "#upstream/outbound-port";
import { type Export, type ExportedServer, exportOf } from "./exported";
import { type Offer, offersOf, type Place, type Resolved, resolved, valueProblem } from "./offers";
import { entriesAt, entriesIn, type Found, registryUrl } from "./reading";
import type { ImportReport, ProposalResponse } from "./schema";
import { type ServerJson, serverJson } from "./server-json";

/** More are never reviewed. */
const MAX_WAITING = 1_000;
const MAX_REASON = 500;
const EXPORT_PAGE = 200;

/** What managing tool servers does for this feature. */
export type ToolServers = {
  add(
    by: Actor,
    owner: User,
    wanted: {
      readonly slug: string;
      readonly place: Place;
      readonly credentials: ToolCredentials | null;
      readonly call_ms: null;
      readonly list_ms: null;
      readonly proposal: Pick<Proposal, "id" | "name" | "version">;
    },
  ): Promise<{ readonly id: string; readonly slug: string; readonly ok: boolean; readonly problem: string | null }>;
  page(ownerId: string | null, window: PageWindow): Promise<readonly ExportedServer[]>;
};

type ProposalServiceNeeds = {
  readonly proposals: ProposalStore;
  readonly users: Pick<UserStore, "byIds">;
  readonly toolServerService: ToolServers;
  /** Reads a page of a registry. */
  readonly fetch: DocumentFetch;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Where entries come from: an address, or documents that were read already. */
export type ImportSource =
  | { readonly url: string }
  | { readonly documents: readonly unknown[]; readonly called: string };

export type Approval = {
  readonly owner: User;
  /** Made of the entry's name if not said. */
  readonly slug?: string | undefined;
  /** From 1, in the order they are shown; the only one that can be used if not said. */
  readonly offer?: number | undefined;
  readonly values: Readonly<Record<string, string>>;
  /** The owner signs in at the server, instead of headers. */
  readonly signsIn: boolean;
};

/** Servers that other registries list: imported as proposals, which an operator approves or rejects. */
export class ProposalService {
  constructor(private readonly deps: ProposalServiceNeeds) {}

  /** Throws `invalid_value`, `upstream_error`, `state_conflict` when too many would wait. */
  async import(by: Actor, source: ImportSource, name: string | null): Promise<ImportReport> {
    const { proposals, now } = this.deps;
    const url = "url" in source ? registryUrl(source.url) : null;
    const found: Found =
      "url" in source
        ? await entriesAt(this.deps.fetch, url ?? "", name, now)
        : await entriesIn(source.documents, name);
    const from = "called" in source ? source.called.slice(0, 200) : (url ?? "").replace(/\?.*$/s, "");
    const rows = found.entries.map((entry) => this.proposalOf(by, from, entry));
    const recordOf = (ids: readonly string[]) => {
      const servers = rows.filter(({ id }) => ids.includes(id)).map(({ name, version }) => `${name} ${version}`);
      return this.record(by, "import", ids[0] ?? "", { source: from, servers });
    };
    const outcome = await proposals.import(rows, recordOf, MAX_WAITING);
    if (outcome === "full") {
      throw new GuardError("state_conflict", `More than ${MAX_WAITING} proposals would wait. Decide about some first.`);
    }
    const proposed = await this.shown(rows.filter(({ id }) => outcome.proposed.includes(id)));
    return { source: from, proposed, unchanged: outcome.unchanged, refused: [...found.refused] };
  }

  /** Newest first. */
  async page(
    filter: { readonly state?: ProposalState | undefined; readonly words?: string | undefined },
    window: PageWindow,
  ): Promise<ProposalResponse[]> {
    return this.shown(await this.deps.proposals.page(filter, window));
  }

  /** By id, or by the name in the registry: the one that waits, else the newest. Throws `not_found`. */
  async find(idOrName: string): Promise<Proposal> {
    const { proposals } = this.deps;
    const found = isUuid(idOrName) ? [await proposals.byId(idOrName.toLowerCase())] : await proposals.named(idOrName);
    const proposal = found.find((one) => one?.state === "proposed") ?? found[0];
    if (proposal) return proposal;
    throw new GuardError("not_found", "There is no such proposal.", { param: "id" });
  }

  async get(idOrName: string): Promise<ProposalResponse> {
    const [shown] = await this.shown([await this.find(idOrName)]);
    if (!shown) throw new GuardError("not_found", "There is no such proposal.", { param: "id" });
    return shown;
  }

  /**
   * Makes a tool server of it, as `ToolServerService.add` does. Throws what that throws, `invalid_value`, `not_found`,
   * `state_conflict`.
   */
  async approve(by: Actor, idOrName: string, { owner, slug, values, signsIn, ...chosen }: Approval) {
    const proposal = await this.find(idOrName);
    if (proposal.state !== "proposed") throw decided(proposal);
    const { id, name, version } = proposal;
    const offer = chosenOffer(offersOf(serverIn(proposal)), chosen.offer);
    const problem = valueProblem(offer, values);
    const made = problem === null ? resolved(offer, values) : null;
    if (made === null) {
      throw new GuardError("invalid_value", `The values ${problem ?? "do not make an address"}.`, { param: "values" });
    }
    const server = await this.deps.toolServerService.add(by, owner, {
      slug: slug ?? slugOf(name),
      place: made.place,
      credentials: credentialsOf(made, signsIn),
      call_ms: null,
      list_ms: null,
      proposal: { id, name, version },
    });
    return {
      ...(await this.get(id)),
      server: { id: server.id, slug: server.slug, ok: server.ok, problem: server.problem },
    };
  }

  /** Throws `not_found`, `state_conflict`, `invalid_value`. */
  async reject(by: Actor, idOrName: string, said: string | null): Promise<ProposalResponse> {
    const reason = said === null || said.trim() === "" ? null : said.trim();
    if (reason !== null && (reason.length > MAX_REASON || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(reason))) {
      throw new GuardError("invalid_value", `The reason must be one line of at most ${MAX_REASON} characters.`, {
        param: "reason",
      });
    }
    const proposal = await this.find(idOrName);
    const { id, name, version } = proposal;
    const record = this.record(by, "reject", id, { name, version, reason });
    const decision = { decided_by: by.user_id, decided_at: this.deps.now(), reason };
    if (!(await this.deps.proposals.reject(id, decision, record))) throw decided(proposal);
    return this.get(id);
  }

  /** Tool servers as a registry lists them; those that were imported as they were. */
  async export(ownerId: string | null, hubUrl: string): Promise<Export> {
    const { proposals, toolServerService } = this.deps;
    const servers: ExportedServer[] = [];
    for (let after: string | null = null; ; ) {
      const page = await toolServerService.page(ownerId, { after, limit: EXPORT_PAGE });
      servers.push(...page);
      const last = page.at(-1);
      if (page.length < EXPORT_PAGE || !last) break;
      after = last.id;
    }
    const approved = await proposals.approved();
    const imported = new Map(approved.map((one) => [one.server_id ?? "", serverIn(one)]));
    return exportOf(servers, imported, hubUrl);
  }

  private proposalOf(by: Actor, source: string, entry: ServerJson): Proposal {
    const text = canonicalJson(entry);
    return {
      id: this.deps.ids(),
      name: entry.name,
      version: entry.version,
      source,
      entry: JSON.stringify(entry),
      entry_hash: sha256Hex(text),
      state: "proposed",
      imported_by: by.user_id,
      imported_at: this.deps.now(),
      decided_by: null,
      decided_at: null,
      reason: null,
      server_id: null,
    };
  }

  private async shown(rows: readonly Proposal[]): Promise<ProposalResponse[]> {
    const ids = rows.flatMap(({ imported_by, decided_by }) => [imported_by, decided_by]);
    const emails = await emailsFor(this.deps.users, ids);
    const who = (id: string | null): string | null => (id === null ? null : emails(id));
    const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
    return rows.map((row) => {
      const { id, name, version, source, state, reason, server_id } = row;
      const { title, description, websiteUrl, repository } = serverIn(row);
      return {
        ...{ id, name, version, source, state, reason, server_id, description },
        title: title ?? null,
        website: websiteUrl ?? repository?.url ?? null,
        offers: offersOf(serverIn(row)).map(({ shown, inputs, problem, plan }) => ({
          transport: plan?.transport ?? null,
          shown,
          inputs: inputs.map((input) => ({ ...input, choices: input.choices === null ? null : [...input.choices] })),
          problem,
        })),
        imported_by: who(row.imported_by),
        imported_at: new Date(row.imported_at).toISOString(),
        decided_by: who(row.decided_by),
        decided_at: at(row.decided_at),
      };
    });
  }

  private record(by: Actor, what: string, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind: `server_proposal.${what}`, by, subject: "server_proposal", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const decided = ({ name, state }: Proposal): GuardError =>
  new GuardError("state_conflict", `The proposal of ${name} does not wait: it is ${state}.`);

/** What was checked when it was imported. */
const serverIn = ({ id, entry }: Proposal): ServerJson => {
  const value = parseJson(entry);
  if (serverJson.fits(value)) return value;
  throw new Error(`The stored entry of proposal ${id} is damaged`);
};

const chosenOffer = (offers: readonly Offer[], number: number | undefined): Offer => {
  const usable = offers.filter(({ problem }) => problem === null);
  const offer = number === undefined && usable.length === 1 ? usable[0] : offers[(number ?? 0) - 1];
  if (offer?.problem === null) return offer;
  const why = offer?.problem ?? `must be from 1 to ${offers.length}`;
  throw new GuardError(
    "invalid_value",
    usable.length === 0 ? "Nothing it offers can be used here." : `The offer: ${why}.`,
    {
      param: "offer",
    },
  );
};

/** The last part of its name, as slugs are written. */
const slugOf = (name: string): string => {
  const last = name.slice(name.indexOf("/") + 1).toLowerCase();
  return last
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 24)
    .replaceAll(/^-+|-+$/g, "");
};

const credentialsOf = ({ headers, variables }: Resolved, signsIn: boolean): ToolCredentials | null => {
  if (signsIn) return { kind: "authorization_code", client_id: null, client_secret: null, scope: null };
  if (Object.keys(headers).length > 0) return { kind: "headers", headers };
  return Object.keys(variables).length > 0 ? { kind: "environment", variables } : null;
};
