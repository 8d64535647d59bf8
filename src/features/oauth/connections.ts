import { GuardError } from "#core/errors";
import { type Change, changeRecord, personActor } from "#model/change";
import { isAllowlist, type OAuthClient, type OAuthConnection } from "#model/oauth/client";
import { documentHostOf } from "#model/oauth/client-document";
import { placeOf } from "#model/oauth/redirect";
import type { Person } from "#model/session";
import type { Clock } from "#platform/clock";
import { timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { OAuthStore } from "#store/oauth-port";
import type { ClientResponse, ConnectionResponse } from "./schema";

type ConnectionsNeeds = {
  readonly store: Pick<
    OAuthStore,
    "clientId" | "clients" | "connections" | "reallow" | "revokeConnection" | "setDisabled"
  >;
  readonly now: Clock;
  readonly ids: Ids;
};

/** What people see of the clients they let in, and change; and what administrators do about all of them. */
export class Connections {
  constructor(private readonly deps: ConnectionsNeeds) {}

  async own(person: Person): Promise<ConnectionResponse[]> {
    return (await this.deps.store.connections(person.user.id)).map(connectionResponse);
  }

  /** Every client, with all who let it in. */
  async all(): Promise<ClientResponse[]> {
    const { store } = this.deps;
    const [clients, connections] = await Promise.all([store.clients(), store.connections(null)]);
    const byClient = Map.groupBy(connections, ({ client }) => client.id);
    return clients.map((client) => ({
      ...clientResponse(client),
      users: (byClient.get(client.id) ?? []).map(({ user_id, tools, consented_at, connected }) => {
        return { user_id, tools, consented_at: timestamp(consented_at), connected };
      }),
    }));
  }

  /** Throws `invalid_value` and `not_found`. Holds from the client's next request on. */
  async allow(person: Person, handle: string, tools: readonly string[]): Promise<void> {
    if (!isAllowlist(tools)) throw new GuardError("invalid_value", "tools is invalid.", { param: "tools" });
    const { store, now } = this.deps;
    const clientId = await this.clientId(handle);
    const allowance = { client_id: clientId, user_id: person.user.id, tools: [...new Set(tools)], at: now() };
    const record = this.record(person, "oauth.allow", clientId, { tools: allowance.tools });
    if (!(await store.reallow(allowance, record))) throw notFound();
  }

  /** Ends all the client holds of the person. Throws `not_found`. */
  async revoke(person: Person, handle: string): Promise<void> {
    const clientId = await this.clientId(handle);
    const record = this.record(person, "oauth.revoke", clientId, { by: "user" });
    if (!(await this.deps.store.revokeConnection(clientId, person.user.id, record))) throw notFound();
  }

  /** For everybody. Throws `not_found`. */
  async setDisabled(person: Person, handle: string, disabled: boolean): Promise<void> {
    const clientId = await this.clientId(handle);
    const record = this.record(person, disabled ? "oauth.disable" : "oauth.enable", clientId, {});
    if (!(await this.deps.store.setDisabled(clientId, disabled, record))) throw notFound();
  }

  private async clientId(handle: string): Promise<string> {
    const id = await this.deps.store.clientId(handle);
    if (id === null) throw notFound();
    return id;
  }

  private record(person: Person, kind: string, clientId: string, detail: Change["detail"]): string {
    const { now, ids } = this.deps;
    const change = { kind, by: personActor(person), subject: "oauth_client", subject_id: clientId, detail };
    return changeRecord(change, { id: ids(), at: now() });
  }
}

const clientResponse = ({
  id,
  handle,
  name,
  redirect_uris,
  disabled,
  created_at,
}: OAuthClient): Omit<ClientResponse, "users"> => ({
  id: handle,
  client_id: id,
  name,
  /** Whose document describes it; null for one that registered itself. */
  described_by: documentHostOf(id),
  returns_to: [...new Set(redirect_uris.map(placeOf))],
  state: disabled ? "disabled" : "active",
  created_at: timestamp(created_at),
});

const connectionResponse = ({ client, tools, consented_at, connected }: OAuthConnection): ConnectionResponse => ({
  ...clientResponse(client),
  tools,
  consented_at: timestamp(consented_at),
  connected,
});

const notFound = (): GuardError => new GuardError("not_found", "There is no such client.");
