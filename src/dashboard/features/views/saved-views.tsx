import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "#dashboard/parts/button";
import { Checkbox, Input } from "#dashboard/parts/field";
import { type ItemOf, useAct, useGet } from "#dashboard/parts/hooks";
import { Popover } from "#dashboard/parts/popover";
import { Await } from "#dashboard/parts/states";
import type { ViewScreen } from "#model/saved-view";

type View = ItemOf<"GET /api/views">;

/** What the screen's address asks for, kept under a name, and what was kept before. */
export const SavedViews = ({ screen }: { readonly screen: ViewScreen }) => (
  <Popover label="Views" icon={Bookmark}>
    {(close) => <Views screen={screen} onDone={close} />}
  </Popover>
);

const Views = ({ screen, onDone }: { readonly screen: ViewScreen; readonly onDone: () => void }) => {
  const views = useGet("GET /api/views", {});
  return (
    <>
      <Await query={views} lines={3}>
        {({ data }) => {
          const here = data.filter((view) => view.screen === screen);
          return here.length === 0 ? (
            <p className="px-2 py-1 text-muted">No saved views yet.</p>
          ) : (
            <ul className="min-h-0 overflow-y-auto">
              {here.map((view) => (
                <ViewRow key={view.id} view={view} onDone={onDone} />
              ))}
            </ul>
          );
        }}
      </Await>
      <SaveView screen={screen} />
    </>
  );
};

const ViewRow = ({ view, onDone }: { readonly view: View; readonly onDone: () => void }) => {
  const navigate = useNavigate();
  const remove = useAct("DELETE /api/views/:id", { refresh: ["/api/views"], done: `View ${view.name} deleted` });
  return (
    <li className="flex items-center gap-1">
      <button
        type="button"
        onClick={() => {
          void navigate({ to: ".", search: Object.fromEntries(new URLSearchParams(view.query)) });
          onDone();
        }}
        className="min-w-0 flex-1 rounded-md px-2 py-1.5 text-left hover:bg-raised"
      >
        <span className="block truncate font-medium">{view.name}</span>
        {view.is_shared && (
          <span className="block truncate text-[13px] text-muted">
            Shared{view.is_own || view.owner === null ? "" : ` by ${view.owner}`}
          </span>
        )}
      </button>
      {view.is_own && (
        <IconButton
          icon={Trash2}
          label={`Delete the view ${view.name}`}
          disabled={remove.isPending}
          onClick={() => remove.mutate({ params: { id: view.id } })}
        />
      )}
    </li>
  );
};

const SaveView = ({ screen }: { readonly screen: ViewScreen }) => {
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const [name, setName] = useState("");
  const [isShared, setShared] = useState(false);
  const save = useAct("PUT /api/views", {
    refresh: ["/api/views"],
    done: `View ${name} saved`,
    onDone: () => setName(""),
  });
  return (
    <form
      className="flex flex-col gap-2 border-t border-line px-1 pt-2"
      onSubmit={(event) => {
        event.preventDefault();
        const query = new URLSearchParams(search).toString();
        save.mutate({ body: { screen, name, query, is_shared: isShared } });
      }}
    >
      <Input label="Save this view as" required maxLength={80} value={name} onValue={setName} />
      <Checkbox label="Share with every user" checked={isShared} onValue={setShared} />
      <Button type="submit" kind="primary" busy={save.isPending}>
        Save view
      </Button>
    </form>
  );
};
