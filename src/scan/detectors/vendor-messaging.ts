import { charSet, DIGIT, TOKEN } from "#scan/char-set";
import { prefixedToken, shapesOf } from "./prefixed-token";
import { alnum, base64, dashedHex, dotted, drawn, formed, hex, longAlnum, padded, path, token } from "./vendor-shapes";

/** Mail, chat, telephony, maps and social networks. Source: the providers' public documentation. */
export const messagingToken = prefixedToken({
  id: "secret.messaging_token",
  severity: "high",
  shapes: [
    ...dotted("SG.", 60), // SendGrid
    ...hex("key- pubkey-", 32), // Mailgun
    ...token("xkeysib- xsmtpsib-", 64), // Brevo
    ...hex("mlsn.", 64), // MailerSend
    ...token("re_", 32, formed(/^[A-Za-z0-9]{8}_/)), // Resend
    ...token("md-", 22, formed(/^(?=.*[A-Z])(?=.*[a-z])(?:.*\d){2}/)), // Mandrill
    ...hex("SK", 32), // Twilio; account ids ("AC") are no secrets
    ...dotted("sk. tk.", 60), // Mapbox
    // Mapbox's public tokens stand in every page with a map.
    ...dotted("pk.", 60, (body) => 0.4 * drawn(body)),
    ...dashedHex("pat-na1- pat-na2- pat-eu1- pat-ap1-", 36), // HubSpot
    ...padded("b_", 44), // Beamer
    ...shapesOf("tfp_", { set: charSet("A-Za-z0-9_.=-"), length: 40, score: drawn }), // Typeform
    ...longAlnum("EAA", 90), // Facebook
    ...longAlnum("IGQV IGAA", 90), // Instagram
    ...token("sl.", 120), // Dropbox
    ...path("discord.com/api/webhooks/ discordapp.com/api/webhooks/", 60),
    ...path("webhook.office.com/webhookb2/", 60),
    ...path("hooks.zapier.com/hooks/catch/", 12),
    ...base64(":APA91b", 60), // Firebase messaging
    ...token("KEY01", 40), // Telnyx
    ...alnum("dG9rO", 30), // Intercom
    ...shapesOf("AAAAAAAAAAAAAAAAAAAAA", { set: charSet("A-Za-z0-9%"), length: 80, score: drawn }), // X
    ...shapesOf("oauth:", { set: charSet("a-z0-9"), length: 30, exact: true, score: drawn }), // Twitch
    ...base64("sec-c-", 40), // PubNub
    ...longAlnum("os_v2_app_ os_v2_org_", 80), // OneSignal
    ...token("pina_", 60), // Pinterest
    ...alnum("p8e-", 32), // Adobe
    ...path("hook.eu1.make.com/ hook.eu2.make.com/ hook.us1.make.com/ hook.us2.make.com/", 32),
    ...path("maker.ifttt.com/trigger/", 24),
  ],
});

/** The number of a bot, a colon, 35 characters. Source: Telegram's bot API, "Authorizing your bot". */
export const telegramToken = prefixedToken({
  id: "secret.telegram_token",
  severity: "high",
  boundary: charSet(""),
  shapes: shapesOf(":A", { set: TOKEN, length: 34, exact: true, after: DIGIT, score: drawn }),
});
