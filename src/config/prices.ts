import type { PriceRow, PriceSaid } from "#model/price";
import type { Config } from "./schema";

/** `[[prices]]`. */
export const configuredPrices = ({ prices }: Pick<Config, "prices">): readonly PriceRow[] =>
  prices.map(({ model, provider = null, input, output, ...rest }) => {
    const said: PriceSaid = { input, output, ...Object.fromEntries(Object.entries(rest)) };
    return { model, provider, prices: said };
  });
