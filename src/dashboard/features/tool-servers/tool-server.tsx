import { useParams } from "@tanstack/react-router";
import type { AnswerTo } from "#dashboard/api/client";
import { useHasRole, useMe } from "#dashboard/app/session";
import { Card, Facts } from "#dashboard/parts/card";
import { Chip, StateChip, spoken, Tag } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { Page, TextLink } from "#dashboard/parts/page";
import { Await } from "#dashboard/parts/states";
import { spanOf, Time } from "#dashboard/parts/time";
import { ServerActions } from "./tool-server-actions";
import { ServerAgents } from "./tool-server-agents";
import { Publication } from "./tool-server-publication";
import { ServerTools } from "./tool-server-tools";
import { CONCERNED, placeOf, type ToolServerData } from "./tool-server-type";

type Report = AnswerTo<"POST /api/tool-servers/:id/test">;

const ToolServerScreen = () => {
  const { id = "" } = useParams({ strict: false });
  const server = useGet("GET /api/tool-servers/:id", { params: { id } });
  return <Await query={server}>{(data) => <Whole key={data.id} server={data} />}</Await>;
};

const Whole = ({ server }: { readonly server: ToolServerData }) => {
  const { user } = useMe();
  const isOwn = server.owner === user.email;
  const isAdmin = useHasRole("admin");
  const test = useAct("POST /api/tool-servers/:id/test", { refresh: CONCERNED });
  return (
    <Page
      title={server.slug}
      above={<TextLink to="/tool-servers">Tool servers</TextLink>}
      chips={<StateChip of={test.data && server.active ? test.data.status : server.status} />}
      hint={
        isOwn ? (
          <span className="font-mono text-[13px] break-all">{placeOf(server)}</span>
        ) : (
          `Owned by ${server.owner}, who alone can change it.`
        )
      }
      actions={
        isOwn && (
          <ServerActions
            server={server}
            test={{ isPending: test.isPending, run: () => test.mutate({ params: { id: server.id } }) }}
          />
        )
      }
    >
      {test.data && <Health report={test.data} />}
      <div className="grid items-start gap-4 xl:grid-cols-[2fr_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <ServerTools server={server} isOwn={isOwn} />
          <ServerAgents server={server} isOwn={isOwn} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Details">
            <ServerFacts server={server} />
          </Card>
          {isAdmin && <Publication server={server} />}
        </div>
      </div>
    </Page>
  );
};

/** What a test found just now. */
const Health = ({ report }: { readonly report: Report }) => (
  <div
    role="status"
    className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-panel px-4 py-3 shadow-card"
  >
    {report.ok ? (
      <>
        <Chip tone="ok">reachable</Chip>
        <span>
          {report.tools.filter(({ present }) => present).length} tools in {spanOf(report.ms ?? 0)}, MCP{" "}
          {report.protocol ?? "unknown version"}
        </span>
        {report.left_out.map(({ tool, reason }) => (
          <span key={tool} className="w-full text-muted">
            Not offered: <Tag>{tool}</Tag> {reason}
          </span>
        ))}
      </>
    ) : (
      <>
        <Chip tone="bad">{report.status === "unauthorized" ? "refuses the hub" : "unreachable"}</Chip>
        <span className="min-w-0 break-words whitespace-pre-wrap">{report.problem}</span>
      </>
    )}
  </div>
);

const ServerFacts = ({ server }: { readonly server: ToolServerData }) => {
  const { kind, headers } = server.credentials;
  return (
    <Facts
      rows={[
        ["ID", <Id key="id" value={server.id} />],
        [server.command ? "Program" : "Address", <Tag key="place">{placeOf(server)}</Tag>],
        ["Transport", server.transport],
        ["Owner", server.owner],
        [
          "Credentials",
          <span key="kind">
            {spoken(kind)}
            {headers && `: ${headers.join(", ")}`}
          </span>,
        ],
        ["Address set by", server.given_by === "operator" ? "the operator" : "a user: private addresses are refused"],
        ["Call timeout", server.call_ms === null ? "setting of the hub" : spanOf(server.call_ms)],
        ["List timeout", server.list_ms === null ? "setting of the hub" : spanOf(server.list_ms)],
        ["MCP version", server.protocol_pin ?? "agreed on with the server"],
        [
          "Pages it may ask users to open",
          server.elicitation_hosts.length === 0 ? "of its own host" : server.elicitation_hosts.join(", "),
        ],
        ["Added", <Time key="since" at={server.created_at} />],
      ]}
    />
  );
};

export default ToolServerScreen;
