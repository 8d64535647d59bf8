import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { countOf, numberOf } from "#dashboard/parts/numbers";
import { Time } from "#dashboard/parts/time";

/** Asked for at once, and lines that are shown of them; the rest follows once these were seen. */
const FEW = "50";
const LINES = 6;
const REFRESHED = ["/api/notices"] as const;

const useUnseen = () => useGet("GET /api/notices", { query: { unseen: true, limit: FEW } }, { everyMs: 60_000 });

/** How many the viewer has not seen, for the navigation. */
export const UnseenNotices = () => {
  const unseen = useUnseen().data?.unseen ?? 0;
  if (unseen === 0) return null;
  return (
    <span className="ml-auto min-w-6 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent">
      {numberOf(unseen)}
      <span className="sr-only"> {unseen === 1 ? "notice" : "notices"} for you</span>
    </span>
  );
};

/** What came of what the viewer reported or asked for, until it was seen. */
export const Notices = () => {
  const notices = useUnseen();
  const see = useAct("POST /api/notices/seen", { refresh: REFRESHED });
  const data = notices.data?.data ?? [];
  if (data.length === 0) return null;
  // Many are decided at once: what says the same is one line.
  const lines = [...Map.groupBy(data, ({ title }) => title).values()].slice(0, LINES);
  const more = (notices.data?.unseen ?? 0) - lines.flat().length;
  return (
    <Card
      title="For you"
      hint="What came of your reports, reviews and suggestions."
      actions={
        <Button small busy={see.isPending} onClick={() => see.mutate({ body: {} })}>
          Mark all as seen
        </Button>
      }
    >
      <ul className="flex flex-col gap-2">
        {lines.map(
          ([first, ...same]) =>
            first && (
              <li key={first.id} className="flex flex-wrap items-baseline gap-x-3">
                <Link to={first.url} className="min-w-0 font-medium wrap-anywhere hover:underline">
                  {first.title}
                </Link>
                {same.length > 0 && <Chip tone="info">{countOf(same.length + 1, "time")}</Chip>}
                <span className="text-[13px] text-muted">
                  <Time at={first.at} />
                </span>
              </li>
            ),
        )}
      </ul>
      {more > 0 && <p className="mt-2 text-muted">And {countOf(more, "more notice")}.</p>}
    </Card>
  );
};

/** On the page of what a notice is about: there it is seen. */
export const SeenHere = ({ id }: { readonly id: string }) => {
  const notices = useUnseen();
  const { mutate } = useAct("POST /api/notices/seen", { refresh: REFRESHED, quiet: true });
  const isNew = notices.data?.data.some(({ subject_id }) => subject_id === id) ?? false;
  useEffect(() => {
    if (isNew) mutate({ body: { subject_id: id } });
  }, [isNew, id, mutate]);
  return null;
};
