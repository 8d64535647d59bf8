import { useSeesAll } from "#dashboard/app/session";
import { useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";

/** News of an alert comes at once; this is for who missed it. */
const LOOK_MS = 60_000;
const MAX_SHOWN = 3;

/** On every screen of who sees all: critical alerts that fire and that nobody has silenced. */
export const Firing = () => {
  const seesAll = useSeesAll();
  const { data } = useGet("GET /api/alerts", { query: { state: "firing" } }, { enabled: seesAll, everyMs: LOOK_MS });
  const critical = (data?.data ?? []).filter(({ severity, silenced }) => severity === "critical" && !silenced);
  return (
    <div role="status">
      {critical.length > 0 && (
        <div className="border-b border-bad/40 bg-bad-soft px-4 py-2 text-bad md:px-6">
          {critical.slice(0, MAX_SHOWN).map(({ id, rule, text }) => (
            <p key={id} className="wrap-anywhere">
              <span className="font-medium">Alert: {rule}.</span> {text}
            </p>
          ))}
          <TextLink to="/settings/alerts">Alerts</TextLink>
        </div>
      )}
    </div>
  );
};
