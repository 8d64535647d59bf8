import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type AnswerTo, call, messageOf } from "#dashboard/api/client";
import { Button } from "#dashboard/parts/button";
import { Card, Stat } from "#dashboard/parts/card";
import { useGet } from "#dashboard/parts/hooks";
import { countOf, numberOf, roughly, usdOf } from "#dashboard/parts/numbers";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await, Empty, Wrong } from "#dashboard/parts/states";
import { ExactTime, spanOf, zoneName } from "#dashboard/parts/time";
import { turnsOf } from "#model/conversation-trace";
import { Turn } from "./conversation-turn";

type Conversation = AnswerTo<"GET /api/calls/:id/conversation">;

const ConversationScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const conversation = useGet("GET /api/calls/:id/conversation", { params: { id } });
  return <Await query={conversation}>{(data) => <Whole id={id} data={data} />}</Await>;
};

const Whole = ({ id, data }: { readonly id: string; readonly data: Conversation }) => {
  const { calls, hasMore, isLoading, problem, load } = useEarlier(id, data);
  const turns = turnsOf(calls);
  return (
    <Page
      title="Conversation"
      above={
        <>
          <TextLink to="/calls">Calls</TextLink> / <TextLink to={`/calls/${id}`}>Call</TextLink>
        </>
      }
      hint={<Whose data={data} />}
      actions={<Neighbours data={data} />}
    >
      {data.totals && data.conversation_id !== null && <Totals totals={data.totals} />}
      {data.conversation_id === null && (
        <Card>
          <Empty title="This call belongs to no conversation.">
            Calls that send the same <code className="font-mono text-xs">x-conversation-id</code> header, to models and
            to the tool gateway, are shown together.
          </Empty>
        </Card>
      )}
      {hasMore && (
        <p className="flex flex-wrap items-center gap-3">
          <Button busy={isLoading} onClick={load}>
            Show earlier calls
          </Button>
          {problem && <Wrong>{problem}</Wrong>}
        </p>
      )}
      {turns.map((turn, at) => (
        <Turn
          key={turn[0]?.call_id}
          calls={turn}
          // Turns of which earlier ones are not loaded cannot be numbered.
          name={hasMore ? `Turn ${at + 1} of those shown` : `Turn ${at + 1}`}
          current={id}
        />
      ))}
      {data.has_later && data.latest_call_id !== null && (
        <p>
          The conversation goes on after this call:{" "}
          <TextLink to={`/calls/${data.latest_call_id}/conversation`}>Show the latest calls</TextLink>
        </p>
      )}
    </Page>
  );
};

const Whose = ({ data: { conversation_id, agent_id, agent, user } }: { readonly data: Conversation }) => (
  <>
    {conversation_id !== null && <code className="font-mono text-xs">{conversation_id}</code>}{" "}
    {agent_id !== null ? (
      <>
        of <TextLink to={`/agents/${agent_id}`}>{agent ?? agent_id}</TextLink>
      </>
    ) : (
      user && `of ${user}`
    )}
  </>
);

const Neighbours = ({ data: { previous, next } }: { readonly data: Conversation }) => (
  <nav aria-label="Conversations" className="flex gap-4">
    {previous && <TextLink to={`/calls/${previous.call_id}/conversation`}>Previous conversation</TextLink>}
    {next && <TextLink to={`/calls/${next.call_id}/conversation`}>Next conversation</TextLink>}
  </nav>
);

const Totals = ({ totals }: { readonly totals: NonNullable<Conversation["totals"]> }) => (
  <>
    <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
      <Stat
        label="Calls"
        value={numberOf(totals.calls)}
        note={`${numberOf(totals.model_calls)} model, ${numberOf(totals.tool_calls)} tool`}
      />
      <Stat
        label="Tokens"
        value={roughly(totals.tokens.prompt + totals.tokens.completion)}
        note={`${roughly(totals.tokens.prompt)} in, ${roughly(totals.tokens.completion)} out`}
      />
      <Stat label="Cost" value={usdOf(totals.cost_usd)} note={costNote(totals)} />
      <Stat
        label="Duration"
        value={spanOf(totals.elapsed_ms)}
        note={`${spanOf(totals.model_ms)} in models, ${spanOf(totals.tool_ms)} in tools`}
      />
      <Stat
        label="Blocked"
        value={numberOf(totals.blocked)}
        {...(totals.blocked > 0 && { tone: "bad" as const })}
        note={`${numberOf(totals.redacted)} redacted, ${numberOf(totals.failed)} failed or refused`}
      />
    </div>
    <p className="text-[13px] text-muted">
      {totals.first_at !== null && totals.last_at !== null && (
        <>
          From <ExactTime at={totals.first_at} /> to <ExactTime at={totals.last_at} /> ({zoneName()}).
        </>
      )}
      {!totals.is_complete && ` Totals of the latest ${countOf(totals.calls, "call")}.`}
    </p>
  </>
);

const costNote = ({ unpriced_calls, estimated_calls }: NonNullable<Conversation["totals"]>): string =>
  [
    unpriced_calls > 0 && `without ${countOf(unpriced_calls, "unpriced call")}`,
    estimated_calls > 0 && `${numberOf(estimated_calls)} estimated`,
  ]
    .filter(Boolean)
    .join(", ");

/** The page, and those before it as they are asked for; from then on the page stays as it was. */
const useEarlier = (id: string, first: Conversation) => {
  const [pages, setPages] = useState<readonly Conversation[]>([]);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const earliest = pages[0] ?? first;
  const load = async () => {
    setLoading(true);
    setProblem(null);
    try {
      const query = { cursor: earliest.next_cursor ?? "" };
      const page = await call("GET /api/calls/:id/conversation", { params: { id }, query });
      setPages([page, ...(pages.length > 0 ? pages : [first])]);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setLoading(false);
  };
  return {
    calls: pages.length > 0 ? pages.flatMap((page) => page.calls) : first.calls,
    hasMore: earliest.has_more,
    isLoading,
    problem,
    load: () => void load(),
  };
};

export default ConversationScreen;
