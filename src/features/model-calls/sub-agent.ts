import type { RequestSide } from "#guard/apis/api";
import type { CallGate } from "#guard/call-gate";
import type { SubAgent } from "#model/audit";

/** What is recorded of a name that a client gives, in UTF-16 units; a longer one is left out. */
const MAX_NAME = 100;

/** The sub-agent that a client says is calling. Scanned first: a record repeats it. Throws `content_filter`. */
export const subAgentOf = (
  gate: CallGate,
  headers: RequestSide["subAgentHeaders"],
  header: (name: string) => string | null,
): SubAgent | null => {
  if (!headers || (headers.kind !== undefined && header(headers.kind) === null)) return null;
  const id = scanned(gate, "sub_agent.id", header(headers.id));
  return id === null ? null : { id, parent_id: scanned(gate, "sub_agent.parent_id", header(headers.parent)) };
};

const scanned = (gate: CallGate, param: string, name: string | null): string | null => {
  if (name === null || name === "" || name.length > MAX_NAME) return null;
  let text = name;
  const replace = (next: string) => {
    text = next;
  };
  gate.scanAtOnce({ slots: [{ param, origin: "user", text, replace }], gaps: [] }, "input");
  return text;
};
