/** The headers that stand on every answer, whatever it says. */

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types relay",
];

/** What the browser is told with each answer: to load nothing from elsewhere, to keep nothing, and to lend the page to nobody. */
export const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": POLICY.join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), payment=()",
};

/** The cookie of one home's page. A cookie of this machine is given to every port of it, so its path is one that nobody else knows. */
export const cookieFor = (id: string, token: string): string => `relay=${token}; Path=/${id}/; HttpOnly; SameSite=Strict; Max-Age=31536000`;
