import type { NoProof, ProofStore, TreeHeadNote, TreeLog } from "./proof-port";
import type { TilePlace } from "./tlog/tile";

/** Trees of a hub's own logs, by the names that several hubs know them by. */
export class HubProofs implements ProofStore {
  constructor(
    private readonly own: ProofStore,
    private readonly nameOf: (node: string | null) => string,
  ) {}

  async logs(): Promise<TreeLog[]> {
    return (await this.own.logs()).map((log) => ({ ...log, node: this.nameOf(log.node) }));
  }

  async prove(record: {
    readonly node: string | null;
    readonly seq: number;
    readonly body: string;
  }): Promise<string | NoProof> {
    const node = await this.#ownNode(record.node);
    return node === undefined ? "elsewhere" : this.own.prove({ ...record, node });
  }

  async consistency(name: string | null, from: number, to: number): Promise<string[] | null> {
    const node = await this.#ownNode(name);
    return node === undefined ? null : this.own.consistency(node, from, to);
  }

  async tile(name: string | null, place: TilePlace, width: number): Promise<Uint8Array | null> {
    const node = await this.#ownNode(name);
    return node === undefined ? null : this.own.tile(node, place, width);
  }

  sign(text: string): Promise<string> {
    return this.own.sign(text);
  }

  async keepWitnessed(name: string | null, head: TreeHeadNote): Promise<void> {
    const node = await this.#ownNode(name);
    if (node !== undefined) await this.own.keepWitnessed(node, head);
  }

  /** Undefined for what another hub records. */
  async #ownNode(name: string | null): Promise<string | null | undefined> {
    return (await this.own.logs()).find(({ node }) => this.nameOf(node) === name)?.node;
  }
}
