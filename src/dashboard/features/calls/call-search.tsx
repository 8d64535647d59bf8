import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ApiError, call, messageOf } from "#dashboard/api/client";
import { useToasts } from "#dashboard/parts/toast";
import type { CallQuery } from "./call-query";

const LABEL = "Find by ID of a call, an event or a conversation";

/** A conversation may be called so too. */
const CALL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Goes to the call of an id, or else shows the conversation of it: `/` comes here. */
export const CallSearch = ({ query }: { readonly query: CallQuery }) => {
  const navigate = useNavigate();
  const toasts = useToasts();
  const [typed, setTyped] = useState("");
  const find = async (id: string): Promise<void> => {
    if (!CALL_ID.test(id)) return query.set({ conversation_id: id });
    try {
      const found = await call("GET /api/calls/:id", { params: { id } });
      void navigate({ to: `/calls/${found.call_id}` });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) query.set({ conversation_id: id });
      else toasts.say("bad", messageOf(error));
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== "") void find(typed.trim());
  };
  return (
    <form onSubmit={onSubmit} className="relative min-w-40 flex-1 basis-56">
      <Search className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted" aria-hidden />
      <input
        type="search"
        aria-label={LABEL}
        placeholder={LABEL}
        data-search=""
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        className="h-8.5 w-full rounded-md border border-strong-line bg-panel pr-2.5 pl-8 placeholder:text-muted"
      />
    </form>
  );
};
