import { AgentFilter } from "#dashboard/app/agent-filter";
import { Card } from "#dashboard/parts/card";
import { choicesOf } from "#dashboard/parts/chip";
import { chosenOf, FilterBar, FilterChoice, FilterTags, FilterText, useFilters } from "#dashboard/parts/filters";
import { useList } from "#dashboard/parts/hooks";
import { Page } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { Table } from "#dashboard/parts/table";
import { ANY_MODEL_CALL, MODEL_CALL_KINDS } from "#model/model-api";
import { callColumns, DECISIONS } from "./call-columns";

const COLUMNS = callColumns(true);
const KINDS = [ANY_MODEL_CALL, ...MODEL_CALL_KINDS, "tool.call", "tool.list", "guard.scan"];

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
  const list = useList("GET /api/calls", { query: { ...values, decision: chosenOf(DECISIONS, values.decision) } });
  return (
    <Page title="Calls" hint="Model calls, tool calls and administrative changes.">
      <Card flush>
        <FilterBar>
          <FilterText label="Finding type, such as pii or secret.aws" {...filter("flag_type")} />
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
              Point a client at the hub with a key: its settings are under Settings, Keys.
            </Empty>
          }
        />
      </Card>
    </Page>
  );
};

export default CallsScreen;
