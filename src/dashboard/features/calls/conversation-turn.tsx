import type { AnswerTo } from "#dashboard/api/client";
import { Card } from "#dashboard/parts/card";
import { StateChip, Tag } from "#dashboard/parts/chip";
import { cx } from "#dashboard/parts/class-names";
import { costOf, countOf, roughly } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { ExactTime, spanOf } from "#dashboard/parts/time";
import { nested } from "#model/conversation-trace";

type TraceCall = AnswerTo<"GET /api/calls/:id/conversation">["calls"][number];

type Span = { readonly start: number; readonly ms: number };

const startOf = ({ started_at }: Pick<TraceCall, "started_at">): number => Date.parse(started_at);
const endOf = (call: TraceCall): number => startOf(call) + (call.total_ms ?? 0);

/** One turn: its model calls with the tool calls they asked for below them, on one scale of time. */
export const Turn = ({
  calls,
  name,
  current,
}: {
  readonly calls: readonly TraceCall[];
  readonly name: string;
  readonly current: string;
}) => {
  const start = Math.min(...calls.map(startOf));
  const span: Span = { start, ms: Math.max(...calls.map(endOf)) - start };
  return (
    <Card
      title={name}
      hint={
        <>
          {countOf(calls.length, "call")} in {spanOf(span.ms)}, from <ExactTime at={new Date(start).toISOString()} />
        </>
      }
      flush
    >
      <ol aria-label={name} className="divide-y divide-line">
        {nested(calls).map(({ call, tools }) => (
          <li key={call.call_id}>
            <Step call={call} span={span} isCurrent={call.call_id === current} />
            {tools.length > 0 && (
              <ol aria-label={`Tool calls of ${nameOf(call)}`} className="ml-4 border-l-2 border-line sm:ml-8">
                {tools.map((tool) => (
                  <li key={tool.call_id}>
                    <Step call={tool} span={span} isCurrent={tool.call_id === current} />
                  </li>
                ))}
              </ol>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
};

const nameOf = ({ tool, model, kind }: TraceCall): string => tool ?? model ?? kind;

const Step = ({
  call,
  span,
  isCurrent,
}: {
  readonly call: TraceCall;
  readonly span: Span;
  readonly isCurrent: boolean;
}) => (
  <div
    aria-current={isCurrent ? "true" : undefined}
    className={cx(
      "grid gap-x-4 gap-y-1.5 px-4 py-2.5 md:grid-cols-[minmax(0,1fr)_minmax(8rem,16rem)] md:items-center",
      isCurrent && "bg-raised",
    )}
  >
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="wrap-anywhere">
          <TextLink to={`/calls/${call.call_id}`}>{nameOf(call)}</TextLink>
        </span>
        <StateChip of={call.decision} />
        {call.code && <Tag>{call.code}</Tag>}
        {call.flags.map(({ type, action, count }) => (
          <Tag key={type}>
            {type}
            {count > 1 && ` ×${count}`}
            {action !== call.decision && `: ${action}`}
          </Tag>
        ))}
      </p>
      <p className="text-[13px] wrap-anywhere text-muted">{detailsOf(call).join(" · ")}</p>
    </div>
    <Bar call={call} span={span} />
  </div>
);

/** What is known of the call beside its name; nothing that is not. */
const detailsOf = (call: TraceCall): string[] =>
  [
    call.kind,
    call.total_tokens !== null && `${roughly(call.total_tokens)} tokens`,
    costOf(call),
    call.finish_reasons.join(", "),
    call.sub_agent !== null && `sub-agent ${call.sub_agent}`,
    call.asked_tools && askedWords(call.asked_tools),
    call.tool !== null && call.asked_by === null && "no model call here asked for it",
    call.asked_by?.basis === "time" && "nested by time",
  ].flatMap((words) => words || []);

const askedWords = ({ count, names }: NonNullable<TraceCall["asked_tools"]>): string =>
  `asked for ${countOf(count, "tool call")}${names.length > 0 ? `: ${names.join(", ")}` : ""}`;

const FILLS: Readonly<Record<string, string>> = {
  block: "bg-bad",
  refused: "bg-bad",
  error: "bg-bad",
  redact: "bg-warn",
};

/** When it ran within its turn, and how long. */
const Bar = ({ call, span }: { readonly call: TraceCall; readonly span: Span }) => {
  const whole = Math.max(span.ms, Number.MIN_VALUE);
  const offset = startOf(call) - span.start;
  const ms = call.total_ms ?? 0;
  const percent = (part: number): string => `${Math.min(100, (part / whole) * 100)}%`;
  return (
    <div className="flex items-center gap-2">
      <span
        role="img"
        aria-label={`Starts ${spanOf(offset)} into the turn, takes ${spanOf(ms)}`}
        className="relative h-2.5 min-w-0 flex-1 overflow-hidden rounded bg-raised"
      >
        <span
          className={cx("absolute h-full min-w-0.5 rounded", FILLS[call.decision] ?? "bg-accent")}
          style={{ left: percent(offset), width: percent(ms) }}
        />
      </span>
      <span className="w-16 shrink-0 text-right text-[13px] text-muted">{spanOf(ms)}</span>
    </div>
  );
};
