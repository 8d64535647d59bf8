import type { AnswerTo } from "#dashboard/api/client";
import { useSeesAll } from "#dashboard/app/session";
import { useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";

type Switch = AnswerTo<"GET /api/overview/kill-switch">["switches"][number];

/** News of a kill switch comes at once; this is for who missed it. */
const LOOK_MS = 30_000;

const STOPPED: Readonly<Record<string, string>> = {
  agent: "an agent",
  owner: "a person's agents and keys",
  tool_server: "a tool server",
  model: "a model",
};

const stopped = ({ level, target }: Switch): string => {
  if (level === "all") return "Kill switch active: every call is refused.";
  return `Kill switch active for ${level === "model" && target ? `the model ${target}` : (STOPPED[level] ?? "calls")}.`;
};

/** On every screen, as long as a kill switch stops what concerns who looks: what is stopped, and why. */
export const Stopped = () => {
  const seesAll = useSeesAll();
  const { data } = useGet("GET /api/overview/kill-switch", {}, { everyMs: LOOK_MS });
  const switches = data?.switches ?? [];
  return (
    <div role="status">
      {switches.length > 0 && (
        <div className="border-b border-bad/40 bg-bad-soft px-4 py-2 text-bad md:px-6">
          {switches.map((one) => (
            <p key={one.id} className="wrap-anywhere">
              <span className="font-medium">{stopped(one)}</span> Reason: {one.reason}
            </p>
          ))}
          {seesAll && <TextLink to="/settings/kill-switch">Kill switches</TextLink>}
        </div>
      )}
    </div>
  );
};
