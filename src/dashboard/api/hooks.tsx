import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useConfirming } from "#dashboard/app/confirm-session";
import { useToasts } from "#dashboard/parts/toast";
import { type Answer, type Asked, ask, call, type Input, messageOf, type RouteKey } from "./client";
import type { List } from "./shapes";

export type GetKey = Extract<RouteKey, `GET ${string}`>;
type ListKey = { [Key in GetKey]: Answer<Key> extends { readonly data: readonly unknown[] } ? Key : never }[GetKey];
export type ItemOf<Key extends ListKey> = Answer<Key> extends { readonly data: readonly (infer Item)[] } ? Item : never;

const pathOf = (key: string): string => key.slice(key.indexOf(" ") + 1);

/** One answer of the hub, kept and asked for anew when something tells that it has changed. */
export const useGet = <Key extends GetKey>(
  key: Key,
  input: Input<Key>,
  options: { readonly enabled?: boolean; readonly everyMs?: number } = {},
) =>
  useQuery({
    queryKey: [pathOf(key), input],
    queryFn: ({ signal }) => call(key, input, signal),
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
  });

/** A list, page after page. `query` holds its filters. */
export const useList = <Key extends ListKey>(key: Key, input: Input<Key>) => {
  const asked: Asked = input;
  const pages = useInfiniteQuery<List<ItemOf<Key>>, Error, InfiniteData<List<ItemOf<Key>>>, readonly unknown[], string>(
    {
      queryKey: [pathOf(key), "list", input],
      initialPageParam: "",
      queryFn: ({ signal, pageParam }) => ask(key, { ...asked, query: { ...asked.query, cursor: pageParam } }, signal),
      getNextPageParam: ({ next_cursor }) => next_cursor,
      placeholderData: keepPreviousData,
    },
  );
  const items = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return { ...pages, items };
};

/** What asks anew for everything below these addresses. */
export const useRefresh = () => {
  const queries = useQueryClient();
  return (...prefixes: readonly string[]) =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        typeof path === "string" && prefixes.some((prefix) => path.startsWith(prefix)),
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
    readonly onDone?: (answer: Answer<Key>) => void;
  } = {},
) => {
  const refresh = useRefresh();
  const toasts = useToasts();
  const confirming = useConfirming();
  return useMutation<Answer<Key>, Error, Input<Key>>({
    mutationFn: (input) => confirming(() => call(key, input)),
    onSuccess: async (answer) => {
      if (options.done) toasts.say("ok", options.done);
      options.onDone?.(answer);
      options.close?.();
      await refresh(...(options.refresh ?? []));
    },
    onError: (error) => {
      if (!options.quiet && !options.close) toasts.say("bad", messageOf(error));
    },
  });
};
