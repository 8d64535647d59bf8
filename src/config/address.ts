/** A `listen` setting taken apart; `hostname` without brackets. */
export type Address = { readonly hostname: string; readonly port: number };

export const parseListen = (listen: string): Address => {
  const colon = listen.lastIndexOf(":");
  const hostname = listen.slice(0, colon).replace(/^\[|\]$/g, "");
  return { hostname, port: Number(listen.slice(colon + 1)) };
};

/** Whether only this machine reaches a listener there. */
export const isLocalListen = (listen: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(parseListen(listen).hostname);

const bracketed = (hostname: string): string => (hostname.includes(":") ? `[${hostname}]` : hostname);

/** Where somebody on this machine reaches a listener: a wildcard address stands for the loopback one. */
export const localUrlOf = (listen: string): string => {
  const { hostname, port } = parseListen(listen);
  const reachable = hostname === "0.0.0.0" ? "127.0.0.1" : hostname === "::" ? "::1" : hostname;
  return `http://${bracketed(reachable)}:${port}`;
};

/** The public URL when none is set. */
export const publicUrlOf = (listen: string): string => {
  const { hostname, port } = parseListen(listen);
  return hostname === "0.0.0.0" || hostname === "::" ? `http://localhost:${port}` : localUrlOf(listen);
};
