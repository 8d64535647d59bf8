import { entropy } from "#core/checksums";
import { charSet, TOKEN } from "#scan/char-set";
import { prefixedToken, shapesOf } from "./prefixed-token";
import { alnum, dashedHex, dotted, drawn, EDGE, formed, hex, longAlnum, padded, token, uuid } from "./vendor-shapes";

const ALMOST = () => 0.85;

/** Payment, shops, shipping and customers. Source: the providers' public documentation. */
export const paymentKey = prefixedToken({
  id: "secret.payment_key",
  severity: "critical",
  boundary: EDGE,
  shapes: [
    ...hex("shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ prtapi_", 32), // Shopify
    ...token("sq0atp-", 22), // Square
    ...token("sq0csp- sandbox-sq0csb-", 40),
    ...shapesOf("EAAA", { set: TOKEN, length: 60, exact: true, score: (body) => (entropy(body) > 4.2 ? 1 : 0) }),
    ...token("A21AA", 80), // PayPal
    ...alnum("live_ test_", 30), // Mollie
    ...longAlnum("klarna_live_api_ klarna_test_api_", 40),
    ...dashedHex("sk_ sk_sbox_ sk_test_", 36, uuid), // Checkout.com
    ...hex("sk_1x1_ sk_2x2_", 64), // Recharge
    ...token("polar_oat_ polar_pat_", 40),
    ...hex("cal_live_", 32), // Cal.com
    ...shapesOf("pk_", { set: charSet("A-Z0-9_"), length: 36, score: formed(/^\d{5,9}_/) }), // ClickUp
    ...hex("pk_", 34), // Klaviyo
    ...shapesOf("1000.", { set: charSet("0-9a-f."), length: 65, exact: true, score: formed(/^[0-9a-f]{32}\./) }), // Zoho
    ...shapesOf("00D", { set: charSet("A-Za-z0-9!._"), length: 80, score: formed(/^[A-Za-z0-9]{9,15}!/) }), // Salesforce
    ...dotted("3MVG9 5Aep861", 70),
    ...longAlnum("rzp_live_ rzp_test_", 14, ALMOST), // Razorpay
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
