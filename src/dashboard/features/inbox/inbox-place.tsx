import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "#dashboard/parts/button";
import { useGet } from "#dashboard/parts/hooks";
import { numberOf } from "#dashboard/parts/numbers";
import type { InboxItem, InboxKind } from "#features/inbox/schema";
import { useAssign } from "./inbox-bulk";
import { titleOfKind } from "./inbox-kinds";

type PlaceOf = { readonly kind: InboxKind; readonly id: string; readonly since: string | null };

/** Where something is in the viewer's inbox; `since` is when it began to wait. */
export const usePlace = ({ kind, id, since }: PlaceOf) =>
  useGet("GET /api/inbox/place", { query: { kind, id, ...(since !== null && { since }) } });

/** The way from one pending decision to the next, also once it is decided; nothing where nothing waits for the viewer. */
export const InboxBar = (of: PlaceOf) => {
  const place = usePlace(of).data;
  const assigning = useAssign();
  if (!place || place.waiting === 0) return null;
  const { item, previous, next, position, waiting } = place;
  return (
    <nav
      aria-label="Inbox"
      className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-panel px-3 py-2"
    >
      <span className="mr-auto min-w-0">
        <Link to="/inbox" search={{ kind: of.kind }} className="font-medium hover:underline">
          Inbox: {titleOfKind(of.kind)}
        </Link>{" "}
        <span className="text-muted">
          {position === null ? `${numberOf(waiting)} left` : `${numberOf(position)} of ${numberOf(waiting)}`}
          {item?.assignee && `, assigned to ${item.assignee}`}
        </span>
      </span>
      {item && !assigning.isMine(item) && (
        <Button
          small
          data-shortcut="m"
          aria-keyshortcuts="m"
          busy={assigning.isPending}
          onClick={() => assigning.assign([{ ...item, like: [] }], "me")}
        >
          Assign to me
        </Button>
      )}
      {item && assigning.isMine(item) && (
        <Button small busy={assigning.isPending} onClick={() => assigning.assign([{ ...item, like: [] }], null)}>
          Unassign
        </Button>
      )}
      <Step to={previous} name="Previous" shortcut="p" />
      <Step to={next} name="Next" shortcut="n" isPrimary={position === null} />
    </nav>
  );
};

const Step = ({
  to,
  name,
  shortcut,
  isPrimary = false,
}: {
  readonly to: InboxItem | null;
  readonly name: string;
  readonly shortcut: string;
  readonly isPrimary?: boolean;
}) => {
  const navigate = useNavigate();
  return (
    <Button
      small
      kind={isPrimary ? "primary" : "plain"}
      icon={name === "Next" ? ChevronRight : ChevronLeft}
      data-shortcut={shortcut}
      aria-keyshortcuts={shortcut}
      disabled={to === null}
      title={to?.title}
      onClick={() => to && void navigate({ to: to.url })}
    >
      {name}
    </Button>
  );
};
