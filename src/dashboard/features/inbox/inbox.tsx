import { HoldDialog } from "#dashboard/features/holds/hold";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { useFilters } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";
import { numberOf } from "#dashboard/parts/numbers";
import { Page } from "#dashboard/parts/page";
import { Await, Empty } from "#dashboard/parts/states";
import type { Inbox, InboxKind } from "#features/inbox/schema";
import { KINDS } from "./inbox-kinds";
import { InboxList } from "./inbox-list";

const InboxScreen = () => {
  const counts = useGet("GET /api/inbox", { query: { limit: "1" } }, { everyMs: 30_000 });
  const { values, set } = useFilters(["hold", "kind", "assignee", "grouped"]);
  return (
    <Page title="Inbox" hint="Pending decisions, oldest first.">
      <Await query={counts}>
        {(data) => (
          <Kinds inbox={data} wanted={values.kind} onKind={(kind) => set({ kind })} onHold={(hold) => set({ hold })} />
        )}
      </Await>
      {values.hold && (
        <HoldDialog
          key={values.hold}
          id={values.hold}
          onClose={() => set({ hold: "" })}
          onNext={(hold) => set({ hold })}
        />
      )}
    </Page>
  );
};

const Kinds = ({
  inbox: { counts, more_reports },
  wanted,
  onKind,
  onHold,
}: {
  readonly inbox: Inbox;
  readonly wanted: string | undefined;
  readonly onKind: (kind: InboxKind) => void;
  readonly onHold: (id: string) => void;
}) => {
  const there = KINDS.filter(([kind]) => counts[kind] > 0);
  const shown = there.find(([kind]) => kind === wanted) ?? there[0];
  if (!shown) {
    return (
      <Card>
        <Empty title="All caught up.">
          Held calls, reviews, tuning suggestions, policy changes and reports for your decision appear here.
        </Empty>
      </Card>
    );
  }
  return (
    <>
      <div className="flex flex-wrap gap-1.5">
        {there.map(([kind, title]) => (
          <Button
            key={kind}
            small
            aria-pressed={kind === shown[0]}
            kind={kind === shown[0] ? "primary" : "plain"}
            onClick={() => onKind(kind)}
          >
            {title} {numberOf(counts[kind])}
          </Button>
        ))}
      </div>
      <InboxList
        key={shown[0]}
        kind={shown[0]}
        title={shown[1]}
        hint={shown[2]}
        count={counts[shown[0]]}
        more={shown[0] === "report" ? more_reports : 0}
        onHold={onHold}
      />
    </>
  );
};

export default InboxScreen;
