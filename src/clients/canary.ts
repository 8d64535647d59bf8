/** Looks like a key of Amazon's, and opens nothing. In two, so that no search for secrets finds one here. */
const MADE_UP_KEY = ["AKIA", "BNAJNU5QAKXCIQXI"].join("");

/** What the default policy blocks, to see that it does. */
export const CANARY = `Deploy with the access key ${MADE_UP_KEY} please.`;
