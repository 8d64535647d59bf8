import { MutationCache, QueryCache, QueryClient, QueryClientProvider, replaceEqualDeep } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { withDoubles } from "#core/json/json-number";
import { styleNonce } from "#dashboard/address/base-path";
import { holdsWords, signInFirst } from "#dashboard/address/way-back";
import { ApiError, isSignedOut } from "#dashboard/api/client";
import { ToastProvider } from "#dashboard/parts/toast";
import { dashboardRouter } from "#dashboard/shell/router";

const ME = "/api/me";

/** A session that has ended while the page was open: back to the way in, and a page with something typed says so itself. */
const onError = (error: Error, path?: unknown): void => {
  if (!isSignedOut(error)) return;
  if (!holdsWords()) signInFirst();
  else if (path !== ME) void queries.invalidateQueries({ queryKey: [ME] });
};

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey: [path] }) => onError(error, path) }),
  mutationCache: new MutationCache({ onError: (error) => onError(error) }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Sharing takes values apart, and numbers that are kept as they were written are no values of its kind.
      structuralSharing: (before, now) => (withDoubles(now, 32) === now ? replaceEqualDeep(before, now) : now),
      // What the hub has decided does not change by asking again; what does not answer may.
      retry: (times, error) => times < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502),
    },
  },
});

// Radix locks scrolling behind a dialog by a style sheet it adds; the page's policy lets it in by this.
setNonce(styleNonce());

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <RouterProvider router={dashboardRouter()} />
        </ToastProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
