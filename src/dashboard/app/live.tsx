import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { basePath } from "#dashboard/address/base-path";
import { useRefresh } from "#dashboard/parts/hooks";
import type { LiveKind, LiveMessage } from "#features/events/live-message";
import { CONCERNS, Outdated } from "./outdated";

const isKind = (name: string): name is LiveKind => Object.hasOwn(CONCERNS, name);
const KINDS = Object.keys(CONCERNS).filter(isKind);

const CHANNEL = "guardhouse-live";
/** Who waited longer for the stream than this took it over from a page that was closed. */
const AT_ONCE_MS = 1_000;
/** The next try waits twice as long as the last. */
const REOPEN_MS = { first: 5_000, longest: 60_000 };

/**
 * Hears the hub's news until `signal` ends it; `refused` is told when the hub gives no stream. One page of a browser holds the stream and passes it on to the others:
 * a stream takes a connection for itself, and over HTTP/1.1 a browser has six to a host.
 */
const listen = (hear: (message: LiveMessage) => void, refused: () => void, signal: AbortSignal): void => {
  const others = new BroadcastChannel(CHANNEL + basePath());
  others.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => hear(data));
  signal.addEventListener("abort", () => others.close());
  const asked = performance.now();
  const hold = () =>
    new Promise<void>((done) => {
      let source: EventSource;
      let again: ReturnType<typeof setTimeout> | undefined;
      let wait = REOPEN_MS.first;
      const tell = (message: LiveMessage) => {
        hear(message);
        others.postMessage(message);
      };
      // What came between the page that was closed, or the answer that was no stream, and this one is known to nobody.
      const resync = () => tell({ kind: "resync", at: new Date().toISOString() });
      const open = (isAgain: boolean) => {
        source = new EventSource(`${basePath()}/api/events`);
        source.addEventListener("open", () => {
          wait = REOPEN_MS.first;
        });
        if (isAgain) source.addEventListener("open", resync, { once: true });
        for (const kind of KINDS) source.addEventListener(kind, ({ data }: MessageEvent) => tell(JSON.parse(data)));
        source.addEventListener("error", () => {
          // Browsers come back by themselves from a broken line, and never from an answer: a proxy's 502, or a 401.
          if (source.readyState !== EventSource.CLOSED) return;
          refused();
          again = setTimeout(() => open(true), wait);
          wait = Math.min(wait * 2, REOPEN_MS.longest);
        });
      };
      open(performance.now() - asked > AT_ONCE_MS);
      signal.addEventListener("abort", () => {
        clearTimeout(again);
        source.close();
        done();
      });
    });
  // Locks are for pages by https and on this machine; elsewhere every page has a stream of its own.
  if (!("locks" in navigator)) return void hold();
  navigator.locks.request(CHANNEL + basePath(), { signal }, hold).catch((fault: unknown) => {
    if (!signal.aborted) throw fault;
  });
};

const News = createContext<EventTarget>(new EventTarget());

/** Hears of one kind of news as long as the part is shown. */
export const useNews = <Kind extends LiveKind>(
  kind: Kind,
  hear: (news: Extract<LiveMessage, { readonly kind: Kind }>) => void,
): void => {
  const news = useContext(News);
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    const listener = (event: Event) => {
      if (event instanceof MessageEvent) latest.current(event.data);
    };
    news.addEventListener(kind, listener);
    return () => news.removeEventListener(kind, listener);
  }, [news, kind]);
};

/** Keeps what the page shows up to date by one stream of news, which browsers take up again by themselves. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }) => {
  const refresh = useRef(useRefresh());
  const news = useRef(new EventTarget());
  useEffect(() => {
    const ending = new AbortController();
    const outdated = new Outdated();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(timer);
      // Nobody looks at a page in the background; it is brought up to date when it is looked at.
      if (document.hidden) return;
      const { paths, next } = outdated.takeDue(performance.now());
      if (paths.length > 0) void refresh.current(...paths);
      if (next !== null) timer = setTimeout(check, Math.max(next, 50));
    };
    document.addEventListener("visibilitychange", check, { signal: ending.signal });
    const hear = (message: LiveMessage) => {
      news.current.dispatchEvent(new MessageEvent(message.kind, { data: message }));
      outdated.add(message.kind, performance.now());
      check();
    };
    // Whose session has ended learns it from that answer, in the background too, and does not knock for days.
    listen(hear, () => void refresh.current("/api/me"), ending.signal);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, []);
  return <News value={news.current}>{children}</News>;
};
