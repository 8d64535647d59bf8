import type { AnswerTo } from "#dashboard/api/client";
import { Card, Facts } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { useGet } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import type { Call } from "./call-content";

type Linked = NonNullable<AnswerTo<"GET /api/calls/:id/links">["previous"]>;

/** Where a call stands in its conversation: what asked for it, what it asked for, what came before and after. */
export const CallLinks = ({ call }: { readonly call: Call }) => {
  const isNamed = call.conversation_id !== null;
  const { data } = useGet("GET /api/calls/:id/links", { params: { id: call.call_id } }, { enabled: isNamed });
  if (!isNamed) return null;
  const { asked_by = null, asked = [], previous = null, next = null } = data ?? {};
  return (
    <Card
      title="Conversation"
      actions={<TextLink to={`/calls/${call.call_id}/conversation`}>View trace</TextLink>}
      hint={call.conversation_id}
    >
      <Facts
        rows={[
          ...(call.tool === null
            ? []
            : ([["Asked for by", asked_by && <Asker key="asker" asker={asked_by} />]] as const)),
          ...(asked.length === 0 ? [] : ([["Asked for", <Asked key="asked" calls={asked} />]] as const)),
          ["Previous call", previous && <LinkedCall key="previous" call={previous} />],
          ["Next call", next && <LinkedCall key="next" call={next} />],
        ]}
      />
    </Card>
  );
};

const LinkedCall = ({ call: { call_id, tool, model, kind, decision } }: { readonly call: Linked }) => (
  <span className="inline-flex flex-wrap items-center gap-1.5">
    <TextLink to={`/calls/${call_id}`}>{tool ?? model ?? kind}</TextLink>
    <StateChip of={decision} />
  </span>
);

const Asker = ({ asker }: { readonly asker: NonNullable<AnswerTo<"GET /api/calls/:id/links">["asked_by"]> }) => (
  <>
    <LinkedCall call={asker} />
    {asker.basis === "time" && <span className="block text-[13px] text-muted">by time: its record names no tools</span>}
  </>
);

const FEW = 8;

const Asked = ({ calls }: { readonly calls: readonly Linked[] }) => (
  <ul className="flex flex-col gap-1">
    {calls.slice(0, FEW).map((call) => (
      <li key={call.call_id}>
        <LinkedCall call={call} />
      </li>
    ))}
    {calls.length > FEW && <li className="text-muted">and {countOf(calls.length - FEW, "more call", "more calls")}</li>}
  </ul>
);
