import { GuardError } from "#core/errors";
import { EncryptedContent } from "#guard/content/encrypted-content";
import { changeRecord, personActor } from "#model/change";
import type { KeptContent } from "#model/kept-content";
import { mayChange, mayReadContent } from "#model/ownership";
import type { Person } from "#model/session";
import { type Clock, timestamp } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import type { ContentStore } from "#store/governance-port";
import type { AgentStore } from "#store/port";
import type { CallContents, ContentResponse, RemovedContents } from "./schema";

type ContentServiceNeeds = {
  readonly content: Pick<ContentStore, "ofCall" | "remove">;
  readonly agents: Pick<AgentStore, "byId">;
  /** Resolves when what calls have left so far is kept. */
  readonly settled: () => Promise<void>;
  readonly unseal: Sealing["unseal"];
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What is kept of one call, with whose it is now. */
type Found = {
  readonly call_id: string;
  readonly first: KeptContent;
  readonly contents: readonly KeptContent[];
  readonly owner_id: string;
};

/** What is kept of calls' texts, and who may see and delete it. Somebody else's answers as what does not exist. */
export class ContentService {
  private readonly texts: EncryptedContent;

  constructor(private readonly deps: ContentServiceNeeds) {
    this.texts = new EncryptedContent(deps.unseal);
  }

  /** That somebody has looked is on disk before they see anything. Throws `not_found`. */
  async read(person: Person, callId: string): Promise<CallContents> {
    const found = await this.visible(person, callId);
    const { call_id, contents, first } = found;
    await this.deps.writeRecord(this.record("content.read", person, found));
    const { user_id, agent_id } = first;
    return {
      object: "call.content",
      call_id,
      user_id,
      agent_id,
      data: contents.map((content) => this.shown(content)),
    };
  }

  /** Throws `not_found`, `insufficient_scope`. */
  async remove(person: Person, callId: string): Promise<RemovedContents> {
    const found = await this.visible(person, callId);
    if (!mayChange(person.user, found)) {
      throw new GuardError("insufficient_scope", "Only the agent's owner and administrators may do this.");
    }
    const removed = await this.deps.content.remove(found.call_id, this.record("content.delete", person, found));
    if (removed === 0) throw nothingKept();
    return { object: "call.content.removed", call_id: found.call_id, removed };
  }

  private async visible({ user }: Person, id: string): Promise<Found> {
    if (!isUuid(id)) throw nothingKept();
    const call_id = id.toLowerCase();
    await this.deps.settled();
    const kept = await this.deps.content.ofCall(call_id);
    // What has expired is gone, even before it is deleted.
    const contents = kept.filter(({ expires_at }) => expires_at > this.deps.now());
    const [first] = contents;
    if (!first) throw nothingKept();
    const agent = first.agent_id === null ? null : await this.deps.agents.byId(first.agent_id);
    const found = { call_id, first, contents, owner_id: agent?.owner_id ?? first.user_id };
    if (!mayReadContent(user, found)) throw nothingKept();
    return found;
  }

  private shown(content: KeptContent): ContentResponse {
    const { id, event_id, purpose, created_at, expires_at } = content;
    const opened = this.texts.ofContent(content);
    return {
      id,
      event_id,
      purpose,
      created_at: timestamp(created_at),
      expires_at: timestamp(expires_at),
      texts: opened ? [...opened.texts] : null,
      cut: opened?.cut ?? false,
    };
  }

  private record(kind: string, person: Person, { call_id, first, contents }: Found): string {
    const { agent_id, user_id } = first;
    const purposes = contents.map(({ purpose }) => purpose);
    const change = { kind, by: personActor(person), subject: "call", subject_id: call_id };
    const detail = { agent_id, user_id, purposes };
    return changeRecord({ ...change, detail }, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const nothingKept = (): GuardError =>
  new GuardError("not_found", "There is no stored content of such a call.", { param: "id" });
