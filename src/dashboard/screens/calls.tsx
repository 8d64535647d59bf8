import { useList } from "#dashboard/api/hooks";
import { Card } from "#dashboard/parts/card";
import { choicesOf } from "#dashboard/parts/chip";
import { FilterBar, FilterChoice, FilterTags, FilterText, useFilters } from "#dashboard/parts/filters";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { AgentFilter } from "./agent-filter";
import { callColumns, DECISIONS } from "./call-columns";

const COLUMNS = callColumns(true);
const KINDS = ["chat.completion", "tool.call", "tool.list", "guard.scan"];

const CallsScreen = () => {
  const { values, filter, clear, active } = useFilters([
    "decision",
    "kind",
    "flag_type",
    "agent_id",
    "user_id",
    "token_id",
    "model",
    "tool",
    "conversation_id",
    "since",
    "until",
  ]);
  const list = useList("GET /api/calls", { query: values });
  return (
    <Page title="Calls" hint="Everything that went through the hub, and everything that was changed about it.">
      <Card flush>
        <FilterBar>
          <FilterText label="Flag type, such as pii or secret.aws" {...filter("flag_type")} />
          <FilterChoice label="Decision" {...filter("decision")} choices={DECISIONS} />
          <FilterChoice label="Kind" {...filter("kind")} choices={choicesOf(KINDS)} />
          <AgentFilter {...filter("agent_id")} />
          <FilterTags
            filters={[
              { label: "Model", ...filter("model") },
              { label: "Tool", ...filter("tool") },
              { label: "User", ...filter("user_id") },
              { label: "Key", ...filter("token_id") },
              { label: "Conversation", ...filter("conversation_id") },
              { label: "Since", ...filter("since") },
              { label: "Until", ...filter("until") },
            ]}
          />
        </FilterBar>
        <Table
          label="Calls"
          list={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          to={({ call_id }) => `/calls/${call_id}`}
          filters={{ active, clear }}
          empty={
            <Empty title="No calls yet.">
              Point an OpenAI client at <code className="font-mono">{location.origin}/v1</code> with a key from
              Settings, Keys.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

export default CallsScreen;
