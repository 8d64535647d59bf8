import { GuardError } from "#core/errors";
import { CLI_ACTOR, changeRecord } from "#model/change";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import type { Node } from "#store/node-port";
import { EXIT } from "./exit";
import { shortTime } from "./moments";
import { card } from "./output";
import { changing, reading } from "./session";
import type { RunVerb } from "./verb";

const shown = ({ id, epoch, state, version, address, started_at, heard_at }: Node) => ({
  id,
  epoch,
  state,
  version,
  url: address,
  started_at: new Date(started_at).toISOString(),
  heard_at: new Date(heard_at).toISOString(),
});

export const listNodes: RunVerb = async (invocation) => {
  const rows = (await reading(invocation, ({ store }) => store.nodes.list())).map(shown);
  const cells = rows.map(({ id, epoch, state, url, version, heard_at }) => [
    ...[id, String(epoch), state, url ?? "-", version, shortTime(Date.parse(heard_at))],
  ]);
  await invocation.out.result(
    rows,
    invocation.out.table(["ID", "EPOCH", "STATE", "URL", "VERSION", "HEARD (UTC)"], cells),
  );
  return EXIT.ok;
};

export const removeNode: RunVerb = async (invocation) => {
  const id = invocation.args.needOperand(0);
  const outcome = await changing(invocation, async ({ store }) => {
    // What it leaves is closed with the end of its log, in the chain of changes: nothing of it may go missing after that.
    const known = (await store.nodes.list()).find((node) => node.id === id);
    if (known?.state === "live") return "live";
    const logs = known === undefined ? {} : await store.audit.closing(id);
    const detail = Object.keys(logs).length === 0 ? {} : { logs };
    const by = { kind: "node.remove", by: CLI_ACTOR, subject: "node", subject_id: id, detail };
    return store.nodes.remove(id, changeRecord(by, { id: systemIds(), at: systemClock() }));
  });
  if (outcome === "missing") throw new GuardError("not_found", `There is no node ${id}`, { param: "id" });
  if (outcome === "live") throw new GuardError("state_conflict", `Node ${id} is live: stop it first`, { param: "id" });
  await invocation.out.result({ id, removed: true }, card({ removed: id }));
  return EXIT.ok;
};
