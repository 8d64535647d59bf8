import type { Database } from "bun:sqlite";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "#guard/content/hub-secret";
import type { AuditRecord } from "#model/audit";
import type { KeptText } from "#model/kept-content";
import { openDataDirectory } from "#platform/data-directory";
import type { KeyedHash } from "#platform/hash";
import { MasterKeys } from "#platform/master-keys";
import { openSqliteStore } from "#store/sqlite/index";
import { bytesOf } from "#test/support/bytes";
import { beside } from "#test/support/database";
import { FakeProvider } from "#test/support/fake-provider";
import { type Answer, ReviewWorld, type Who } from "./review-world";

/** A card number: redacted wherever it stands. */
export const CARD = "4539 1488 0343 6467";
/** A key: blocked in what is asked. */
export const KEY = ["AKIA", "Q3EGRIVZTAX4RMRF"].join("");
const MODEL = "fake-model";

/** What `/api/calls/{id}/content` answers. */
export type Contents = {
  readonly data: readonly {
    readonly id: string;
    readonly purpose: "blocked" | "retained";
    readonly event_id: string | null;
    readonly created_at: string;
    readonly expires_at: string;
    readonly cut: boolean;
    readonly texts: readonly KeptText[];
  }[];
};

export type Asked = { readonly id: string; readonly status: number; readonly text: string };

/** A hub with reviewed agents and a provider: what is kept of their calls. */
export class ContentWorld implements AsyncDisposable {
  private constructor(
    readonly world: ReviewWorld,
    readonly provider: FakeProvider,
  ) {}

  static async open(): Promise<ContentWorld> {
    const provider = await FakeProvider.start();
    const world = await ReviewWorld.open();
    await world.hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-*"] });
    return new ContentWorld(world, provider);
  }

  /** A token of an agent whose profile keeps this much. */
  async agent(store_content: "none" | "redacted" | "full", retention_days = 30): Promise<string> {
    const { agent, review } = await this.world.submitted("owner", {
      data_privacy: { data_classes: ["public"], store_content, retention_days },
      models: { models: ["fake-*"] },
    });
    const { json } = await this.world.decide("ann", review.id, "approve", review.content_hash);
    if (json.status !== "approved") throw new Error(`not approved: ${JSON.stringify(json)}`);
    return this.world.token("owner", agent);
  }

  /** As whoever has the data directory can make them. */
  async contentHash(): Promise<KeyedHash> {
    const { dataDir } = this.world.hub;
    const keys = new MasterKeys(openDataDirectory(dataDir), null);
    const store = await openSqliteStore({ dataDir, writer: "inline" });
    try {
      const { seal, unseal } = keys;
      return await contentHash({ secrets: store.secrets, masterKey: () => keys.current(), seal, unseal });
    } finally {
      await store.close();
    }
  }

  async ask(token: string, content: unknown, more: object = {}): Promise<Asked> {
    const json = { model: MODEL, messages: [{ role: "user", content }], ...more };
    const response = await this.world.hub.fetch("/v1/chat/completions", { token, json });
    return { id: response.headers.get("x-request-id") ?? "", status: response.status, text: await response.text() };
  }

  read(who: Who, callId: string): Promise<Answer> {
    return this.world.as(who, "GET", `/calls/${callId}/content`);
  }

  /** What is kept of a call for one purpose: where, and what; null for nothing. */
  async kept(
    callId: string,
    purpose: "blocked" | "retained",
  ): Promise<[stage: string, param: string, text: string][] | null> {
    const { status, json } = await this.read("owner", callId);
    if (status === 404) return null;
    const { data }: Contents = json;
    const found = data.find((content) => content.purpose === purpose);
    return found ? found.texts.map(({ stage, param, text }) => [stage, param, text]) : null;
  }

  /** The final record of a call. */
  async record(callId: string): Promise<AuditRecord> {
    const rows: unknown = (await this.world.hub.cli("audit", "tail", "-n", "1000")).json();
    const found: AuditRecord | undefined = Array.isArray(rows)
      ? rows.find(({ call_id, phase }) => call_id === callId && phase === "final")
      : undefined;
    if (!found) throw new Error("no record");
    return found;
  }

  /** The hub's database, beside the running hub. */
  database<T>(work: (db: Database) => T): T {
    return beside(this.world.hub, work);
  }

  /** The files of the data directory in which a text stands in clear. */
  async inClear(text: string): Promise<string[]> {
    const { dataDir } = this.world.hub;
    const found: string[] = [];
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const bytes = await bytesOf(path);
      const forms = [text, JSON.stringify(text).slice(1, -1)].flatMap((form) => [
        Buffer.from(form),
        Buffer.from(form, "utf16le"),
        Buffer.from(Buffer.from(form).toString("base64url").slice(4, -4)),
      ]);
      if (forms.some((form) => bytes.includes(form))) found.push(entry.name);
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}
