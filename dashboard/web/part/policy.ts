/** The one policy of Trusted Types: what it gives is taken by the browser as HTML, so only what is escaped is given to it. */
interface Policy {
  createHTML(html: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;
const same: Policy = { createHTML: (html) => html };

export const policy = typeof trustedTypes === "undefined" ? same : trustedTypes.createPolicy("relay", same);
