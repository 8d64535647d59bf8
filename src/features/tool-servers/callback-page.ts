import { escaped } from "#http/pages/html-page";

/** The page a person's browser shows at the end of a sign-in. Nothing on it runs, loads or leads anywhere. */
export const callbackPage = (status: number, title: string, text: string): Response =>
  new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>` +
      `<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>`,
    {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        // The address holds the code.
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      },
    },
  );
