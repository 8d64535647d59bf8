import {
  type InfiniteData,
  type Query,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { isRecord } from "#core/json/json";
import { type AnswerTo, ask, call, type Input, messageOf, type QueryOf, type RouteKey } from "#dashboard/api/client";
import { useConfirming } from "#dashboard/parts/confirm-session";
import { useToasts } from "#dashboard/parts/toast";
import type { ListPage } from "#http/page";

type GetKey = Extract<RouteKey, `GET ${string}`>;
type ListKey = { [Key in GetKey]: AnswerTo<Key> extends { readonly data: readonly unknown[] } ? Key : never }[GetKey];
export type ItemOf<Key extends ListKey> =
  AnswerTo<Key> extends { readonly data: readonly (infer Item)[] } ? Item : never;

/** What was there before stands in for what is asked, where it is of the same thing: other filters, not another id. */
const ofTheSame =
  ({ params }: QueryOf) =>
  <Data,>(before: Data | undefined, query: { readonly queryKey: readonly unknown[] } | undefined): Data | undefined => {
    const asked = query?.queryKey.at(-1);
    const same = isRecord(asked) && JSON.stringify(asked["params"]) === JSON.stringify(params);
    return same ? before : undefined;
  };

const pathOf = (key: string): string => key.slice(key.indexOf(" ") + 1);

/** Stands before the address in the key of what is not asked for anew by its address. */
const aside = ({ once, apart }: { readonly once?: boolean; readonly apart?: boolean }): readonly string[] => {
  if (once) return ["once"];
  return apart ? ["apart"] : [];
};

/** One answer of the hub, kept and asked for anew when something tells that it has changed. */
export const useGet = <Key extends GetKey>(
  key: Key,
  input: Input<Key>,
  options: {
    readonly enabled?: boolean;
    readonly everyMs?: number;
    /** Asked for once, whatever happens: where asking is written down. */
    readonly once?: boolean;
    /** News do not make it outdated: where asking is much work. */
    readonly apart?: boolean;
  } = {},
) =>
  useQuery({
    queryKey: [...aside(options), pathOf(key), input],
    ...(options.once ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    queryFn: ({ signal }) => call(key, input, signal),
    placeholderData: ofTheSame(input),
    enabled: options.enabled ?? true,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
  });

/** A list, page after page. `query` holds its filters. */
export const useList = <Key extends ListKey>(key: Key, input: Input<Key>) => {
  const asked: QueryOf = input;
  const pages = useInfiniteQuery<
    ListPage<ItemOf<Key>>,
    Error,
    InfiniteData<ListPage<ItemOf<Key>>>,
    readonly unknown[],
    string
  >({
    queryKey: [pathOf(key), "list", input],
    initialPageParam: "",
    queryFn: ({ signal, pageParam }) => ask(key, { ...asked, query: { ...asked.query, cursor: pageParam } }, signal),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: ofTheSame(asked),
  });
  const items = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return { ...pages, items };
};

/** Pages of a list that are asked for anew; of a longer one nothing that it shows has changed, and it may be long. */
const MAX_FRESH_PAGES = 3;

/** Whether somebody has gone far back in a list to which things are only added: it stays as they read it. */
const isReadFarBack = ({ queryKey: [path, kind], state }: Query): boolean =>
  path === "/api/calls" &&
  kind === "list" &&
  isRecord(state.data) &&
  Array.isArray(state.data["pages"]) &&
  state.data["pages"].length > MAX_FRESH_PAGES;

/** What asks anew for everything below these addresses. */
export const useRefresh = () => {
  const queries = useQueryClient();
  return (...prefixes: readonly string[]) =>
    queries.invalidateQueries({
      predicate: (query) => {
        const [path] = query.queryKey;
        return typeof path === "string" && prefixes.some((prefix) => path.startsWith(prefix)) && !isReadFarBack(query);
      },
    });
};

/**
 * Does something at the hub; says so when it is done, and what was wrong when it is not. Where the hub wants the
 * password once more it is asked for. `refresh` names the addresses whose answers it changes.
 */
export const useAct = <Key extends RouteKey>(
  key: Key,
  options: {
    readonly refresh?: readonly string[];
    readonly done?: string;
    /** Where the place it was asked from shows what was wrong. */
    readonly quiet?: boolean;
    /** Closes the dialog it is asked from, which shows what was wrong. */
    readonly close?: () => void;
    readonly onDone?: (answer: AnswerTo<Key>) => void;
  } = {},
) => {
  const refresh = useRefresh();
  const toasts = useToasts();
  const confirming = useConfirming();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useMutation<AnswerTo<Key>, Error, Input<Key>>({
    mutationFn: (input) => confirming(() => call(key, input)),
    onSuccess: async (answer) => {
      if (options.done) toasts.say("ok", options.done);
      options.onDone?.(answer);
      options.close?.();
      await refresh(...(options.refresh ?? []));
    },
    onError: (error) => {
      // A dialog that was closed while it was under way shows nothing any more.
      const isSaidThere = isShown.current && (options.quiet || options.close);
      if (!isSaidThere) toasts.say("bad", messageOf(error));
    },
  });
};
