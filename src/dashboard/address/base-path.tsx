const meta = (name: string): string => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/** What goes before every address of the hub: empty, or `/hub`. */
export const basePath = (): string => meta("base-path");

/** What the page's policy asks of style sheets that scripts add. */
export const styleNonce = (): string => meta("style-nonce");
