import type { Person } from "#core/session";
import { ShapeCheck } from "#core/shape-check";
import { bodyOf } from "#http/body";
import { pageOf } from "#http/page";
import type { Connections } from "./connections";
import { AllowlistChange, ClientChange } from "./schema";

export type ClientDoorDeps = {
  readonly connections: Connections;
  readonly bodyBytes: number;
  /** Throws while nothing can be recorded, or the hub is stopping. */
  readonly admit: () => void;
};

type Query = Readonly<Record<string, string | undefined>>;

/** What is done at the addresses of connected clients, without the addresses. */
export class ClientDoors {
  private readonly allowlist = new ShapeCheck(AllowlistChange);
  private readonly change = new ShapeCheck(ClientChange);

  constructor(private readonly deps: ClientDoorDeps) {}

  async own(person: Person, query: Query): Promise<Response> {
    return Response.json(pageOf(await this.deps.connections.own(person), query));
  }

  async all(query: Query): Promise<Response> {
    return Response.json(pageOf(await this.deps.connections.all(), query));
  }

  async allow(person: Person, id: string, request: Request): Promise<Response> {
    const { admit, connections } = this.deps;
    admit();
    const { tools } = this.allowlist.check(await this.read(request));
    await connections.allow(person, id, tools);
    return Response.json({ id, tools });
  }

  async revoke(person: Person, id: string): Promise<Response> {
    this.deps.admit();
    await this.deps.connections.revoke(person, id);
    return new Response(null, { status: 204 });
  }

  async setState(person: Person, id: string, request: Request): Promise<Response> {
    const { admit, connections } = this.deps;
    admit();
    const { disabled } = this.change.check(await this.read(request));
    await connections.setDisabled(person, id, disabled);
    return Response.json({ id, state: disabled ? "disabled" : "active" });
  }

  private async read(request: Request): Promise<unknown> {
    return (await bodyOf(request, this.deps.bodyBytes))();
  }
}
