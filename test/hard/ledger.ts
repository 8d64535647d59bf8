import type { Hub } from "#test/support/hub";

/** One record as `audit export` gives it, as far as these tests look. */
export type Entry = {
  readonly seq: number;
  readonly call_id: string;
  readonly phase: "request" | "final";
  readonly kind: string;
  readonly outcome: string;
  readonly call?: {
    readonly status: number;
    readonly code: string | null;
    readonly model: string | null;
    readonly stream: boolean;
  };
};

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && "seq" in value && "call_id" in value && "phase" in value;

/** The audit log read back by the command line, by call. */
export class Ledger {
  private constructor(readonly entries: readonly Entry[]) {}

  static async of(hub: Hub): Promise<Ledger> {
    const { code, stdout, stderr } = await hub.cli("audit", "export", "--format", "ndjson");
    if (code !== 0) throw new Error(`audit export ended with ${code}: ${stderr}`);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return new Ledger(lines.map((line): unknown => JSON.parse(line)).filter(isEntry));
  }

  /** The records of every call that went through the guard, by its id. */
  calls(): Map<string, Entry[]> {
    const calls = this.entries.filter(({ kind }) => kind === "chat.completion");
    return Map.groupBy(calls, ({ call_id }) => call_id);
  }
}

/** Ends the test unless the chain is whole. */
export const isWhole = async (hub: Hub): Promise<boolean> => (await hub.cli("audit", "verify")).code === 0;
