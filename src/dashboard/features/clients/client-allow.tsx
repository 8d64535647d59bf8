import { useMemo, useState } from "react";
import { Dialog, DialogForm } from "#dashboard/parts/dialog";
import { Checkbox } from "#dashboard/parts/field";
import { type ItemOf, useAct, useGet } from "#dashboard/parts/hooks";
import { Await } from "#dashboard/parts/states";

export type ConnectedApp = ItemOf<"GET /api/oauth/clients">;

type Group = {
  readonly server: string;
  readonly tools: readonly string[];
};

/** What servers offer beside tools is chosen for all of them, or named by server: `prompts:files`. */
const OFFERS = [
  ["resources:*", "All resources of my tool servers (incl. future)"],
  ["prompts:*", "All prompts of my tool servers (incl. future)"],
] as const;
const isOffer = (name: string): boolean => name.includes(":");

const serverOf = (name: string): string => name.slice(0, name.indexOf("__"));

/** What there is to choose from, and what was chosen when there was more. */
const groupsOf = (servers: readonly ItemOf<"GET /api/tool-servers">[], chosen: readonly string[]): readonly Group[] => {
  const there = servers.map(({ slug, tools }) => ({
    server: slug,
    tools: tools.filter(({ present }) => present).map(({ name }) => name),
  }));
  const names = new Set(there.flatMap(({ tools }) => tools));
  const rest = chosen.filter((name) => name !== "*" && !isOffer(name) && !name.endsWith("__*") && !names.has(name));
  const known = new Set(there.map(({ server }) => server));
  const gone = new Set(
    chosen
      .filter((name) => name !== "*" && !isOffer(name))
      .map(serverOf)
      .filter((slug) => !known.has(slug)),
  );
  return [
    ...there.map(({ server, tools }) => ({
      server,
      tools: [...tools, ...rest.filter((name) => serverOf(name) === server)],
    })),
    ...[...gone].map((server) => ({ server, tools: rest.filter((name) => serverOf(name) === server) })),
  ];
};

/** What a client may use of one's tools: by name, all of a server, or all there are, as on the page that let it in. */
export const AllowTools = ({ client, onClose }: { readonly client: ConnectedApp; readonly onClose: () => void }) => {
  const servers = useGet("GET /api/tool-servers", { query: { limit: "200" } });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Tools of “${client.name ?? "unnamed"}”`}
      hint="In force from the app's next request on, without a new sign-in."
    >
      <Await query={servers}>{({ data }) => <Choosing client={client} servers={data} onClose={onClose} />}</Await>
    </Dialog>
  );
};

const Choosing = ({
  client,
  servers,
  onClose,
}: {
  readonly client: ConnectedApp;
  readonly servers: readonly ItemOf<"GET /api/tool-servers">[];
  readonly onClose: () => void;
}) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(client.tools));
  const groups = useMemo(() => groupsOf(servers, client.tools), [servers, client.tools]);
  const allow = useAct("PATCH /api/oauth/clients/:id", {
    refresh: ["/api/oauth"],
    done: "Tools changed.",
    close: onClose,
  });
  const turn = (name: string, isIn: boolean) =>
    setChosen((old) => new Set(isIn ? [...old, name] : [...old].filter((one) => one !== name)));
  const isAll = chosen.has("*");
  // What a wider choice holds already is not named again.
  const asked = isAll
    ? ["*", ...[...chosen].filter(isOffer)]
    : [...chosen].filter((name) => name.endsWith("__*") || !chosen.has(`${serverOf(name)}__*`));
  return (
    <DialogForm
      submit="Change"
      act={allow}
      onCancel={onClose}
      onSubmit={() => allow.mutate({ params: { id: client.id }, body: { tools: asked } })}
    >
      <Checkbox label="All my tools (incl. future)" checked={isAll} onValue={(checked) => turn("*", checked)} />
      {OFFERS.map(([name, label]) => (
        <Checkbox key={name} label={label} checked={chosen.has(name)} onValue={(checked) => turn(name, checked)} />
      ))}
      {groups.map(({ server, tools }) => (
        <fieldset
          key={server}
          className="flex flex-col gap-1.5 rounded-md border border-line px-3 py-2"
          disabled={isAll}
        >
          <legend className="px-1 font-medium">{server}</legend>
          <Checkbox
            label={`All tools of ${server} (incl. future)`}
            checked={isAll || chosen.has(`${server}__*`)}
            onValue={(checked) => turn(`${server}__*`, checked)}
          />
          <div className="grid gap-1.5 pl-5 sm:grid-cols-2">
            {tools.map((name) => (
              <Checkbox
                key={name}
                label={<span className="font-mono text-xs break-all">{name}</span>}
                disabled={chosen.has(`${server}__*`)}
                checked={isAll || chosen.has(`${server}__*`) || chosen.has(name)}
                onValue={(checked) => turn(name, checked)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      {groups.length === 0 && <p className="text-muted">No tool servers yet.</p>}
      {asked.length === 0 && (
        <p className="text-[13px] text-warn">With no selection the app stays connected and sees none of your tools.</p>
      )}
    </DialogForm>
  );
};
