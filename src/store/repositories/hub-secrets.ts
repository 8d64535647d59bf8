import { eq, isNull } from "drizzle-orm";
import { type Db, run } from "#store/db";
import type { HubSecret, HubSecretStore } from "#store/sealed-port";

export class HubSecrets implements HubSecretStore {
  constructor(private readonly db: Db) {}

  async byName(name: string): Promise<HubSecret | "older" | null> {
    const row = await this.db.one((q, { hubSecret: it }) => q.select().from(it).where(eq(it.name, name)));
    if (row === null) return null;
    const { key_id, sealed } = row;
    return key_id === null || sealed === null ? "older" : { name, key_id, sealed };
  }

  async keep(secret: HubSecret): Promise<HubSecret> {
    const { name, ...set } = secret;
    await this.db.tx(() =>
      run((q, { hubSecret: it }) =>
        q
          .insert(it)
          .values(secret)
          .onConflictDoUpdate({ target: it.name, set, setWhere: isNull(it.sealed) }),
      ),
    );
    const kept = await this.byName(name);
    if (kept === null || kept === "older") throw new Error(`The secret "${name}" was not kept`);
    return kept;
  }

  async drop(name: string): Promise<void> {
    await this.db.tx(() => run((q, { hubSecret: it }) => q.delete(it).where(eq(it.name, name))));
  }
}
