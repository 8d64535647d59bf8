/** Of programs that speak to a hub as its callers do: its address, and a gateway token. Not settings of a hub. */
export const CLIENT_VARIABLES = { url: "GUARDHOUSE_URL", token: "GUARDHOUSE_TOKEN" } as const;
