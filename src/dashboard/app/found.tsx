import { type ReactNode, useState } from "react";
import { useSeesAll } from "#dashboard/app/session";
import type { Choice } from "#dashboard/parts/field";
import type { Filter } from "#dashboard/parts/filters";
import { type ItemOf, useGet } from "#dashboard/parts/hooks";
import { SearchSelect, useWords } from "#dashboard/parts/search-select";

/** Choices that are shown at once: more are found by name. */
const SHOWN = "20";

type Searchable = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly hidden?: boolean;
  /** Stands for no choice; without it one has to be made. */
  readonly none?: string;
  readonly isFloating?: boolean;
  /** Offered first. */
  readonly pinned?: readonly Choice[];
  readonly value: string;
  readonly onValue: (value: string) => void;
};

type Asked<Item> = {
  readonly data: { readonly data: readonly Item[]; readonly has_more: boolean } | undefined;
  readonly isPending: boolean;
};

/** The choices of an answer, and how the chosen one is called once it is found no more. */
const useFound = <Item,>(asked: Asked<Item>, value: string, choiceOf: (item: Item) => Choice | null) => {
  const [kept, setKept] = useState<Choice | null>(null);
  const choices = (asked.data?.data ?? []).flatMap((item) => choiceOf(item) ?? []);
  return {
    found: { choices, hasMore: asked.data?.has_more ?? false, isPending: asked.isPending },
    known: [kept, ...choices].find((choice) => choice?.value === value),
    keep: (chosen: string) => setKept(choices.find((one) => one.value === chosen) ?? null),
  };
};

type Agent = ItemOf<"GET /api/agents">;

/** Agents of everybody one may see, or one's own, found by name or owner. */
export const AgentSelect = ({
  isOwn = false,
  may = () => true,
  onValue,
  ...field
}: Searchable & {
  readonly isOwn?: boolean;
  /** Which can be chosen. */
  readonly may?: (agent: Agent) => boolean;
}) => {
  const [words, setWords] = useWords();
  const all = useSeesAll() && !isOwn;
  const asked = useGet("GET /api/agents", { query: { limit: SHOWN, ...(words && { q: words }), ...(all && { all }) } });
  const { found, known, keep } = useFound(asked, field.value, (agent) =>
    may(agent) ? { value: agent.id, label: all ? `${agent.name} · ${agent.owner}` : agent.name } : null,
  );
  // Set from elsewhere, by a link or in what is edited: its name is asked for.
  const isUnknown = field.value !== "" && !known && !asked.isPending;
  const other = useGet("GET /api/agents/:id", { params: { id: field.value } }, { enabled: isUnknown });
  return (
    <SearchSelect
      {...field}
      shown={known?.label ?? other.data?.name ?? field.value}
      found={found}
      onWords={setWords}
      onValue={(value) => {
        keep(value);
        onValue(value);
      }}
    />
  );
};

/** Which agent it is about, of those one may see. */
export const AgentFilter = ({ value = "", onChange }: Filter) => (
  <div className="relative w-44">
    <AgentSelect label="Agent" hidden isFloating none="Agent: all" value={value} onValue={onChange} />
  </div>
);

/** Users, found by address or name, for those who see them. */
export const UserSelect = ({
  by = "id",
  onValue,
  ...field
}: Searchable & {
  /** What the value is. */
  readonly by?: "id" | "email";
}) => {
  const [words, setWords] = useWords();
  const asked = useGet("GET /api/users", { query: { limit: SHOWN, ...(words && { q: words }) } });
  const { found, known, keep } = useFound(asked, field.value, (user) => ({ value: user[by], label: user.email }));
  return (
    <SearchSelect
      {...field}
      shown={field.pinned?.find(({ value }) => value === field.value)?.label ?? known?.label ?? field.value}
      found={found}
      onWords={setWords}
      onValue={(value) => {
        keep(value);
        onValue(value);
      }}
    />
  );
};

/** Tool servers of everybody one may see, found by slug. */
export const ToolServerSelect = ({ onValue, ...field }: Searchable) => {
  const [words, setWords] = useWords();
  const all = useSeesAll();
  const asked = useGet("GET /api/tool-servers", {
    query: { limit: SHOWN, ...(words && { q: words }), ...(all && { all }) },
  });
  const { found, known, keep } = useFound(asked, field.value, ({ id, slug, owner }) => ({
    value: id,
    label: `${slug} · ${owner}`,
  }));
  return (
    <SearchSelect
      {...field}
      shown={known?.label ?? field.value}
      found={found}
      onWords={setWords}
      onValue={(value) => {
        keep(value);
        onValue(value);
      }}
    />
  );
};
