import { useSeesAll } from "#dashboard/app/session";
import { useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Time } from "#dashboard/parts/time";

type Named = { readonly id: string; readonly owner_id: string };

/** The suspensions among its restrictions that hold now. */
export const useSuspensions = (id: string) => {
  const list = useGet("GET /api/agents/:id/restrictions", { params: { id }, query: { in_force: true, limit: 50 } });
  return (list.data?.data ?? []).filter(({ kind }) => kind === "suspended");
};

/** What stops an agent altogether, whatever its lifecycle says: said on each part of its screen. */
export const AgentNotices = ({ agent }: { readonly agent: Named }) => {
  const seesWhy = useSeesAll();
  const [suspension] = useSuspensions(agent.id);
  const overview = useGet("GET /api/overview", { query: { window: "24h" } });
  const stops = overview.data?.kill_switch.switches.some(
    ({ level, target }) =>
      level === "all" || (level === "agent" && target === agent.id) || (level === "owner" && target === agent.owner_id),
  );
  return (
    <>
      {stops && (
        <p role="status" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-bad">
          <span className="font-medium">Kill switch active: all calls of this agent are refused.</span>{" "}
          {seesWhy && <TextLink to="/settings/kill-switch">View kill switches</TextLink>}
        </p>
      )}
      {suspension && (
        <p role="status" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-bad">
          <span className="font-medium">Suspended by a restriction: {suspension.reason}</span>{" "}
          {suspension.expires_at ? (
            <>
              It ends <Time at={suspension.expires_at} />.
            </>
          ) : (
            "In force until lifted."
          )}{" "}
          <TextLink to={`/agents/${agent.id}`}>View restrictions</TextLink>
        </p>
      )}
    </>
  );
};
