/** A tool call that waits for a person. The same call, made again, passes once when it was approved. */
export type Hold = {
  readonly id: string;
  readonly agent_id: string;
  readonly user_id: string;
  /** The tool's public name, or the function's. */
  readonly tool: string;
  /**
   * SHA-256, hex, of tool, canonical arguments and, of a tool of the gateway, its pinned definition: what was approved
   * is this call and no other.
   */
  readonly call_hash: string;
  /** Why it is held: `human_approval`, `tool.tainted_argument`. */
  readonly cause: string;
  /** The layer that holds it: `profile v3`, `restriction <id>`. */
  readonly layer: string;
  readonly event_id: string;
  /** Sealed: the arguments, for who decides. */
  readonly sealed_arguments: string;
  /** `released`: let through in a model's answer. The same call at the tool gateway is still to come, and uses it. */
  readonly state: "waiting" | "approved" | "denied" | "released" | "used";
  readonly created_at: number;
  readonly expires_at: number;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
};
