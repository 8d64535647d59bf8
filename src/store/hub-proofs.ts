import type { ProofStore, Proved, Recorded, TreeHeadNote, TreeLog } from "./proof-port";
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

  /** Records of its own logs have the names that the directory knows; those of other hubs have none that is in it. */
  prove(record: Recorded): Promise<Proved> {
    return this.own.prove(record);
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
