import { charSet } from "#core/scan/char-set";
import { prefixedToken, shapesOf } from "#core/scan/detectors/prefixed-token";
import { dashedHex, drawn, EDGE, hex, longAlnum, padded, token } from "./shapes";

const ALMOST = () => 0.85;

/** Payment, shops and shipping. Source: the providers' public documentation. */
export const paymentKey = prefixedToken({
  id: "secret.payment_key",
  severity: "critical",
  boundary: EDGE,
  shapes: [
    ...hex("shpat_ shpca_ shppa_ shpss_ shpua_", 32), // Shopify
    ...token("sq0atp-", 22), // Square
    ...token("sq0csp-", 40),
    ...token("EAAA", 60),
    ...longAlnum("rzp_live_ rzp_test_", 14), // Razorpay
    ...longAlnum("EZAK EZTK", 54), // EasyPost
    ...shapesOf("FLWSECK_TEST- FLWPUBK_TEST- FLWSECK- FLWPUBK-", {
      set: charSet("0-9a-zA-Z-"),
      length: 12,
      score: ALMOST,
    }),
    ...dashedHex("access-production- access-sandbox- access-development-", 36), // Plaid
    ...dashedHex("amzn.mws.", 36), // Amazon MWS
    ...token("APP_USR-", 40), // Mercado Pago
    ...hex("live_ test_", 35), // Lob
    ...hex("live_pub_ test_pub_", 31),
    ...padded("live_", 40), // GoCardless, Adyen
    ...hex("shippo_live_ shippo_test_", 40),
    ...token("duffel_live_ duffel_test_", 40),
    ...shapesOf("access_token$production$ access_token$sandbox$", {
      set: charSet("0-9a-z$"),
      length: 40,
      score: drawn,
    }), // Braintree
    ...token("pdl_live_apikey_ pdl_sdbx_apikey_", 30), // Paddle
  ],
});
