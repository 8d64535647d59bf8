import { eq, isNull } from "drizzle-orm";
import type { HubSecret, HubSecretStore } from "#store/sealed-port";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { hubSecret } = tables;

export class SqliteHubSecrets implements HubSecretStore {
  constructor(private readonly connection: Connection) {}

  async byName(name: string): Promise<HubSecret | "older" | null> {
    const row = this.connection.queries.select().from(hubSecret).where(eq(hubSecret.name, name)).get();
    if (!row) return null;
    const { key_id, sealed } = row;
    return key_id === null || sealed === null ? "older" : { name, key_id, sealed };
  }

  async keep(secret: HubSecret): Promise<HubSecret> {
    const { name, ...set } = secret;
    await this.connection.writeSoon<void>(() => {
      const insert = this.connection.queries.insert(hubSecret).values(secret);
      insert.onConflictDoUpdate({ target: hubSecret.name, set, setWhere: isNull(hubSecret.sealed) }).run();
    });
    const kept = await this.byName(name);
    if (kept === null || kept === "older") throw new Error(`The secret "${name}" was not kept`);
    return kept;
  }

  async drop(name: string): Promise<void> {
    await this.connection.writeSoon<void>(() => {
      this.connection.queries.delete(hubSecret).where(eq(hubSecret.name, name)).run();
    });
  }
}
